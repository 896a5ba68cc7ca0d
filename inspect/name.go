package inspect

import "strings"

// ShortName returns the name of a function, as in Route.Handler, as a person
// would write it: without the directories of its package and without what the
// compiler adds. The name of a closure is that of the function around it.
//
//	example.com/shop/api.(*Server).Show-fm => api.(*Server).Show
//	example.com/shop.routes.func4.1        => shop.routes
func ShortName(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	short := name
	for {
		switch rest := cutSuffix(short); rest {
		case short:
			return short
		case "":
			return name
		default:
			short = rest
		}
	}
}

// cutSuffix removes the last thing that the compiler has added to a name: .func1
// and .func1.2 of closures, .gowrap1 of go and defer statements, -range1 of loops,
// and -fm of methods that are used as functions.
func cutSuffix(name string) string {
	if rest, ok := strings.CutSuffix(name, "-fm"); ok {
		return rest
	}
	for numbered := name; ; {
		kind := strings.TrimRight(numbered, "0123456789")
		if kind == numbered {
			return name
		}
		if rest, ok := strings.CutSuffix(kind, ".func"); ok {
			return strings.TrimSuffix(rest, ".glob.") // of a package variable
		}
		for _, end := range []string{".gowrap", "-range"} {
			if rest, ok := strings.CutSuffix(kind, end); ok && numbered == name {
				return rest
			}
		}
		rest, ok := strings.CutSuffix(kind, ".")
		if !ok {
			return name
		}
		numbered = rest
	}
}
