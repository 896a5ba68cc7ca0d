// Package peers contains only tests. They run the cases in testdata/routers,
// which the router's own tests also use, on the original routers. This checks
// the statements about these routers in docs/migration.md.
//
// denco, way and violetear are missing, because they aren't available from the
// Go module proxy.
package peers
