package interop

import (
	"os/exec"
	"syscall"
)

// endWithTest has the program ended when the test's process dies.
func endWithTest(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
