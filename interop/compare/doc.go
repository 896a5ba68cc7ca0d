// Package compare tests the behavior of routers and writes the table in
// docs/comparison.md. All routers have their default settings, except where
// routers_test.go says otherwise.
package compare
