package trie

import (
	"cmp"
	"net/http"
)

// A Method is a number for a request method. Those from GET on have the order of
// pattern.StandardMethods.
type Method uint8

const (
	Any Method = iota // a route for every method, and a request with a method that is in no pattern
	GET
	HEAD
	POST
	PUT
	PATCH
	DELETE
	CONNECT
	TRACE
	QUERY
	OPTIONS
	firstCustom // the first of the numbers that a Builder assigns to custom methods

	unknown Method = 255 // not a standard method
)

// Custom reports whether m is a custom method. MatchFast doesn't support custom
// methods.
func (m Method) Custom() bool { return m >= firstCustom }

// IsCustom reports whether a Builder must assign a number to the method.
func IsCustom(name string) bool { return standardMethod(name) == unknown }

// MaxCustom is the maximum number of custom methods of a Builder. All of them are
// less than unknown.
const MaxCustom = 243

// standardMethod returns the constant for a method, or unknown. It is Any for "".
func standardMethod(name string) Method {
	switch name {
	case "":
		return Any
	case http.MethodGet:
		return GET
	case http.MethodHead:
		return HEAD
	case http.MethodPost:
		return POST
	case http.MethodPut:
		return PUT
	case http.MethodPatch:
		return PATCH
	case http.MethodDelete:
		return DELETE
	case http.MethodConnect:
		return CONNECT
	case http.MethodTrace:
		return TRACE
	case "QUERY":
		return QUERY
	case http.MethodOptions:
		return OPTIONS
	}
	return unknown
}

// MethodOf returns the number of a method. It is not inlined, because ServeHTTP
// calls it only for methods other than GET.
//
//go:noinline
func (t *Table[P]) MethodOf(name string) Method {
	m := standardMethod(name)
	if m == unknown {
		return t.custom[name] // or Any
	}
	return m
}

// CompareMethods orders methods by name: "" for every method, then the standard
// methods in the order of the Allow header, then the custom ones, which are
// equal.
func CompareMethods(a, b string) int {
	return cmp.Compare(standardMethod(a), standardMethod(b))
}

// serves reports whether a route for the method m serves requests with the
// method of.
func (m Method) serves(of Method) bool { return m == of || m == Any || m == GET && of == HEAD }

// A methodSet is a set of methods.
type methodSet [4]uint64

func (s *methodSet) add(m Method)      { s[m>>6] |= 1 << (m & 63) }
func (s *methodSet) has(m Method) bool { return s[m>>6]>>(m&63)&1 != 0 }
func (s *methodSet) empty() bool       { return *s == methodSet{} }

// custom reports whether s has a custom method.
func (s *methodSet) custom() bool { return s[0]>>firstCustom|s[1]|s[2]|s[3] != 0 }
