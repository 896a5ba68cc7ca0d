package interop

import (
	"os/exec"
	"syscall"
)

// endWithTest ends the program when the test's process ends.
func endWithTest(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
