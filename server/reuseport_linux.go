package server

import (
	"runtime"
	"strings"
	"syscall"
)

// reusePort is a net.ListenConfig.Control. Package syscall lacks the constant
// on Linux; asm/socket.h gives it another value on MIPS.
func reusePort(_, _ string, rc syscall.RawConn) error {
	option := 0xf
	if strings.HasPrefix(runtime.GOARCH, "mips") {
		option = 0x200
	}
	return setOption(rc, option)
}
