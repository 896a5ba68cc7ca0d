//go:build !muxmaster_safe

package inspect

import "unsafe"

// This file compares patterns by their addresses, which saves calls of functions
// that compare and hash text: the pattern of a route is always the same string.
// same_safe.go is its twin.

// same reports whether a and b are the same string in memory. It may report false
// for equal strings.
func same(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// slot returns a hash of a pattern's address and of a method.
func slot(pattern, method string) uint {
	return uint(uintptr(unsafe.Pointer(unsafe.StringData(pattern)))>>3) + uint(len(method))
}
