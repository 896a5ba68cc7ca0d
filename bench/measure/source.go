package measure

import _ "embed" // Source

// Source is the text of measure.go, for programs that are built at run time and
// can't require this module.
//
//go:embed measure.go
var Source string
