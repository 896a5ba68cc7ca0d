//go:build !muxmaster_safe

package contender

// muxmasterSafe says that this binary has only the mode without package unsafe.
const muxmasterSafe = false
