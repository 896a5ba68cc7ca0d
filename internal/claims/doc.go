// Package claims contains only Go benchmarks and tests of fourteen claims of a
// well-known page about net/http's performance, for docs/claims.md.
package claims
