// Package trietest is the router's rules a second time, without a thought for
// speed: a list of routes, each compared with the whole request. Tests of
// package trie and of the router compare the real thing with it; nothing else
// imports it.
//
// It knows no pattern syntax and imports neither package. Routes are put
// together from [Part]s, which say what they mean:
//
//	segment.go  which text a segment matches
//	host.go     which host a route matches
//	route.go    which path a route matches, and with which values
//	find.go     which of several routes wins
//	choices.go  random routes, and requests near them
package trietest
