package load

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// This file runs a server in a child process, which is the same program started
// again. A child prints its address, responds to each line of its standard
// input with the CPU time it has used, and exits at the end of its input.

const serveFlag = "-serve"

// Asked returns the name of the server if this process is a child.
func Asked() (name string, ok bool) {
	if len(os.Args) == 3 && os.Args[1] == serveFlag {
		return os.Args[2], true
	}
	return "", false
}

// Serve is the child: it runs the contender or server with the given name on a
// free port of the loopback interface until its standard input ends.
func Serve(name string) error {
	serve, err := named(name)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		if err := serve(listener); err != nil {
			ended <- err
		}
	}()
	fmt.Println(listener.Addr())
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Println(measure.CPU().Microseconds())
		}
		ended <- nil
	}()
	return <-ended
}

// A process is a running child.
type process struct {
	address string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startProcess starts this program as a child that serves name with the given
// number of processors. A child with one processor is pinned to the last one, if
// the system supports that.
func startProcess(name string, processors int) (*process, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{binary, serveFlag, name}
	if processors == 1 && runtime.NumCPU() > 1 {
		if taskset, err := exec.LookPath("taskset"); err == nil {
			args = append([]string{taskset, "-c", strconv.Itoa(runtime.NumCPU() - 1)}, args...)
		}
	}
	p := &process{cmd: exec.Command(args[0], args[1:]...)}
	p.cmd.Env = append(p.cmd.Environ(), "GOMAXPROCS="+strconv.Itoa(processors))
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("the server of %s didn't start: %w", name, err)
	}
	p.address = strings.TrimSpace(line)
	return p, nil
}

// pinSelf keeps the load generator off the processor of a pinned child until
// undo is called, if the system supports that.
func pinSelf() (undo func()) {
	taskset, err := exec.LookPath("taskset")
	if err != nil || runtime.NumCPU() == 1 {
		return func() {}
	}
	pin := func(last int) {
		exec.Command(taskset, "-a", "-p", "-c", fmt.Sprintf("0-%d", last), strconv.Itoa(os.Getpid())).Run()
	}
	pin(runtime.NumCPU() - 2)
	return func() { pin(runtime.NumCPU() - 1) }
}

// cpu returns the CPU time that the process has used, in microseconds.
func (p *process) cpu() (float64, error) {
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		return 0, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

// stop ends the process and waits for it.
func (p *process) stop() {
	p.in.Close()
	p.cmd.Wait()
}
