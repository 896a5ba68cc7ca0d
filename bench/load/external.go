package load

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// This file runs servers in other languages: hyper, which cargo builds, and h2o.
// They take part if cargo or h2o is installed.

// external is the program that this process, a child, runs as its server.
var external atomic.Pointer[exec.Cmd]

// usage returns the CPU time of this process, or of the external program, and the
// part of it in the kernel, in microseconds, and its resident memory, in megabytes.
func usage() (cpu, kernel, memory float64) {
	pid, cmd := os.Getpid(), external.Load()
	if cmd != nil {
		pid = cmd.Process.Pid
	}
	used, inKernel, resident := measure.Process(pid)
	if cmd == nil {
		used, _ = measure.CPU()
	}
	return float64(used.Microseconds()), float64(inKernel.Microseconds()), float64(resident) / 1e6
}

// stopExternal ends the external program, if there is one.
func stopExternal() {
	if cmd := external.Load(); cmd != nil {
		cmd.Process.Kill()
		os.RemoveAll(cmd.Dir)
	}
}

// serveHyper serves with hyper.
func serveHyper(l net.Listener, srv *http.Server) error {
	program, err := buildHyper() // nothing to do after that of Run
	if err != nil {
		return err
	}
	protocol := "http2"
	if srv.Protocols.HTTP1() {
		protocol = "http1"
	}
	return runExternal(l, srv.TLSConfig, func(address string, tls ...string) ([]string, error) {
		return append([]string{program, address, protocol, "."}, tls...), nil
	})
}

// serveH2O serves files with h2o.
func serveH2O(l net.Listener, srv *http.Server) error {
	return runExternal(l, srv.TLSConfig, func(address string, tls ...string) ([]string, error) {
		host, port, _ := net.SplitHostPort(address)
		listen := fmt.Sprintf("host: %s\n  port: %s\n", host, port)
		if len(tls) > 0 {
			listen += fmt.Sprintf("  ssl:\n    certificate-file: %s\n    key-file: %s\n    ocsp-update-interval: 0\n", tls[0], tls[1])
		}
		return []string{"h2o", "-c", "h2o.conf"}, os.WriteFile("h2o.conf", []byte("num-threads: 1\nmax-connections: 20000\nuser: root\nlisten:\n  "+listen+
			"hosts:\n  default:\n    paths:\n      /:\n        file.dir: .\n"), 0o644)
	})
}

// buildHyper builds hyper's server, if its source has changed, and returns its
// file.
func buildHyper() (string, error) {
	cache, err1 := os.UserCacheDir()
	source, err2 := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/seed-1954dcaa/muxmaster/bench/load").Output()
	if err := cmp.Or(err1, err2); err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "muxmaster-bench")
	cmd := exec.Command("cargo", "build", "--release", "--quiet", "--locked", "--target-dir", dir)
	cmd.Dir = filepath.Join(strings.TrimSpace(string(source)), "hyper")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cargo: %w: %s", err, out)
	}
	return filepath.Join(dir, "release", "hyper-server"), nil
}

// runExternal runs a program until stopExternal, in a directory with the bodies of
// responses. command returns it for the address of l, and with conf also for the
// files of a certificate and its key.
func runExternal(l net.Listener, conf *tls.Config, command func(address string, tls ...string) ([]string, error)) error {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return err
	}
	err = errors.Join(os.Chdir(dir), os.Chmod(dir, 0o755))
	write := func(name, text string) {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644))
	}
	for path, work := range works {
		write(path[1:], work.want)
	}
	var tls []string
	if conf != nil {
		der, err := x509.MarshalPKCS8PrivateKey(conf.Certificates[0].PrivateKey)
		if err != nil {
			return err
		}
		tls = []string{"certificate.pem", "key.pem"}
		write(tls[0], string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: conf.Certificates[0].Certificate[0]})))
		write(tls[1], string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	}
	args, err2 := command(l.Addr().String(), tls...)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	l.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		return err
	}
	external.Store(cmd)
	return fmt.Errorf("%s ended: %w", args[0], cmd.Wait())
}
