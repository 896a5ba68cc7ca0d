package inspect

import (
	"regexp"
	"strings"
)

// suffix matches what the compiler adds to the names of closures, and of methods
// that are used as functions.
var suffix = regexp.MustCompile(`(?:(?:\.glob\.)?\.(?:func|gowrap|deferwrap)?\d+|-range\d+|-fm)+$`)

// inlined matches the functions around a closure into which the one that declares
// it was inlined, as far as the name tells.
var inlined = regexp.MustCompile(`^([^.]*\.)(?:.*\.)?func\d+(?:\.\d+)*\.`)

// ShortName returns the name of a function, as in Route.Handler, as a person
// would write it: without the directories of its package and without what the
// compiler adds. The name of a closure is that of the function around it.
//
//	example.com/shop/api.(*Server).Show-fm => api.(*Server).Show
//	example.com/shop.routes.func4.1        => shop.routes
func ShortName(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if short := suffix.ReplaceAllString(name, ""); short != "" {
		return inlined.ReplaceAllString(short, "$1")
	}
	return name
}
