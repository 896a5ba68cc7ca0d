// Package child runs a server in a child process, which is the same program
// started again. A child prints its address, responds to each line of its
// standard input with the CPU time it has used, and exits at the end of its
// input.
package child

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

const flag = "-serve"

// Asked returns the name of the server if this process is a child.
func Asked() (name string, ok bool) {
	if len(os.Args) == 3 && os.Args[1] == flag {
		return os.Args[2], true
	}
	return "", false
}

// Serve is the child: it serves on a free port of the loopback interface until
// its standard input ends, or serve returns an error.
func Serve(serve func(net.Listener) error) error {
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

// A Process is a running child.
type Process struct {
	Address string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Start starts the binary as a child that serves name with the given number of
// processors. A child with one processor is pinned to the processor with number
// pin, if the system supports that.
func Start(binary, name string, processors, pin int) (*Process, error) {
	args := []string{binary, flag, name}
	if processors == 1 && runtime.NumCPU() > 1 {
		if taskset, err := exec.LookPath("taskset"); err == nil {
			args = append([]string{taskset, "-c", strconv.Itoa(pin)}, args...)
		}
	}
	p := &Process{cmd: exec.Command(args[0], args[1:]...)}
	p.cmd.Env = append(p.cmd.Environ(), "GOMAXPROCS="+strconv.Itoa(processors))
	var err error
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
		p.Stop()
		return nil, fmt.Errorf("the server of %s didn't start: %w", name, err)
	}
	p.Address = strings.TrimSpace(line)
	return p, nil
}

// CPU returns the CPU time that the process has used, in microseconds.
func (p *Process) CPU() (float64, error) {
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		return 0, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

// Stop ends the process and waits for it.
func (p *Process) Stop() {
	p.in.Close()
	p.cmd.Wait()
}
