package engine

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSystemCallNumbers checks that package syscall has the numbers that
// rawcalls.go uses, on each architecture that compiles the file.
func TestSystemCallNumbers(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src/syscall/zsysnum_linux_*.go"))
	if err != nil || len(tables) < 10 {
		t.Fatalf("found %d tables of system calls, %v", len(tables), err)
	}
	for _, file := range tables {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		arch := strings.TrimSuffix(file[strings.LastIndexByte(file, '_')+1:], ".go")
		ctx := build.Context{GOOS: "linux", GOARCH: arch, Compiler: "gc"}
		used, err := ctx.MatchFile(".", "rawcalls.go")
		if err != nil {
			t.Fatal(err)
		}
		has := strings.Contains(string(text), "SYS_RECVFROM ") && strings.Contains(string(text), "SYS_SENDTO ")
		if used != has {
			t.Errorf("linux/%s: rawcalls.go is compiled: %v, its numbers exist: %v", arch, used, has)
		}
	}
}
