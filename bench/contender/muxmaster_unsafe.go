//go:build !muxmaster_safe

package contender

// Safe says that this binary has only the mode without package unsafe.
const Safe = false
