//go:build muxmaster_safe

package contender

// A binary built with the tag muxmaster_safe has the mode without package
// unsafe and no other.
var muxmasterModes = []muxmasterMode{
	{"muxmaster safe", false, false, []Class{Native, Stdlib}, muxmasterStyle},
}
