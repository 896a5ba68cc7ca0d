package server

import (
	"runtime"
	"strings"
	"syscall"
)

// reusePort is a function for net.ListenConfig.Control. Package syscall lacks
// the constant on Linux. Its value in asm/socket.h is different on MIPS.
func reusePort(_, _ string, rc syscall.RawConn) error {
	option := 0xf
	if strings.HasPrefix(runtime.GOARCH, "mips") {
		option = 0x200
	}
	return setOption(rc, option)
}
