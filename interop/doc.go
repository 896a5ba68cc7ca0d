// Package interop has no code, only tests: they run libraries that people use
// with net/http on the router, unmodified and over real connections. Each row of
// docs/interop.md is one of these tests:
//
//	go test -race ./...                       run everything
//	go test -run TestDocument -update ./...   write docs/interop.md anew
//
// registry_test.go lists the rows, harness_test.go starts their servers, and
// each other file holds one family of libraries.
package interop
