//go:build !muxmaster_safe

package contender

const muxmasterDirties = false

var muxmasterModes = []muxmasterMode{
	{"muxmaster", false, false, []Class{Native, Stdlib}, muxmasterStyle},
	{"muxmaster pooled", true, false, []Class{Native, Stdlib}, muxmasterStyle},
	{"muxmaster fast", false, true, []Class{Native}, muxmasterFastStyle},
	{"muxmaster fast pooled", true, true, []Class{Native}, muxmasterFastStyle},
}
