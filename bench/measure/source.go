package measure

import _ "embed" // Source

// Source is the source code of measure.go, for generated programs that can't
// import this module.
//
//go:embed measure.go
var Source string
