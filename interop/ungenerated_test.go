//go:build !generated

package interop

// These rows need generated code: TestGenerated runs them.
var runOAPICodegen, runConnect, runGateway func(*site)

const generated = false
