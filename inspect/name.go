package inspect

import "regexp"

// suffix matches what the compiler adds to the names of closures, and of methods
// that are used as functions.
var suffix = regexp.MustCompile(`(?:(?:\.glob\.)?\.(?:func|gowrap|deferwrap)?\d+|-range\d+|-fm)+$`)

// inlined matches the functions around a closure into which the one that declares
// it was inlined, as far as the name tells.
var inlined = regexp.MustCompile(`^([^.]*\.)(?:.*\.)?func\d+(?:\.\d+)*\.`)

// directories matches those of a package, but no slash in a type argument, and
// version the last one if it is that of a module.
var (
	directories = regexp.MustCompile(`^[^\[]*/`)
	version     = regexp.MustCompile(`^([^\[]*)/v(?:[2-9]|\d\d+)\.`)
)

// ShortName returns the name of a function, as in Route.Handler, as a person
// would write it: without the directories of its package and without what the
// compiler adds. The name of a closure is that of the function around it.
//
//	example.com/shop/api.(*Server).Show-fm => api.(*Server).Show
//	example.com/shop.routes.func4.1        => shop.routes
//	example.com/auth/v2.Check              => auth.Check
func ShortName(name string) string {
	name = directories.ReplaceAllString(version.ReplaceAllString(name, "$1."), "")
	if short := suffix.ReplaceAllString(name, ""); short != "" {
		return inlined.ReplaceAllString(short, "$1")
	}
	return name
}

// sameName reports whether two names are most likely those of the same function.
// The compiler doesn't know the directories of each closure.
func sameName(a, b string) bool {
	in, other := directories.FindString(a), directories.FindString(b)
	return ShortName(a) == ShortName(b) && (in == other || in == "" || other == "")
}
