// Package peers has no code of its own. Its tests run the cases of
// testdata/routers, which the router's own tests check, on the routers that they
// come from. This proves what the tables in docs/migration.md say about them.
//
// denco, way and violetear are missing, because the Go module proxy doesn't have
// them.
package peers
