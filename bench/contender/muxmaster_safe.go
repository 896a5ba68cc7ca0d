//go:build muxmaster_safe

package contender

// SetPathValue leaves values in the request.
const muxmasterDirties = true

// A binary built with the tag muxmaster_safe has only the mode without package
// unsafe.
var muxmasterModes = []muxmasterMode{
	{"muxmaster safe", false, false, []Class{Native, Stdlib}, muxmasterStyle},
}
