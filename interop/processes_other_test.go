//go:build !linux

package interop

import "os/exec"

func endWithTest(*exec.Cmd) {}
