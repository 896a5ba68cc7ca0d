// Package interop contains only tests. They use unmodified net/http libraries
// with the router, over real connections. Each row of docs/interop.md is one of
// these tests:
//
//	go test -race ./...                       run everything
//	go test -run TestDocument -update ./...   update docs/interop.md
//
// registry_test.go lists the rows, harness_test.go starts their servers, and
// each other file holds one family of libraries. Rows with generated code are
// in generated_*_test.go: TestGenerated writes the code to a temporary
// directory and runs them.
package interop
