// Package fromchi holds a service before and after it moved from chi, and tests
// that compare the two.
package fromchi
