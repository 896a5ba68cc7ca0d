// Package trietest is a simple and slow implementation of the router's rules: a
// list of routes, each compared with the whole request. Tests of package pattern
// and of the router compare their results with it. Only tests import it.
//
// It doesn't parse patterns and imports none of them. Routes consist of
// [Part]s, which describe their meaning:
//
//	segment.go  which text a segment matches
//	host.go     which host a route matches
//	route.go    which path a route matches, and with which values
//	find.go     which of several routes wins
//	fold.go     which route a path in another case means
//	choices.go  random routes, and requests near them
package trietest
