package load

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// ServeFlag makes the command serve the contender or server of that name.
const ServeFlag = "-serve"

// Serve is the process under load: it serves on a free port of the loopback
// interface until its standard input ends.
func Serve(name string) error {
	serve, err := named(name)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- serve(listener) }()
	fmt.Println(listener.Addr())

	ended := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			fmt.Println(measure.CPU().Microseconds())
		}
		close(ended)
	}()
	select {
	case err := <-failed:
		return err
	case <-ended:
		return nil
	}
}

// named finds a router, which net/http serves, or a server, which serves our
// router.
func named(name string) (serve func(net.Listener) error, err error) {
	for _, s := range HTTPServers {
		if s.Name == name {
			return s.Serve, nil
		}
	}
	c, err := contender.Named(name)
	if err != nil {
		return nil, err
	}
	return func(l net.Listener) error { return http.Serve(l, c.Load(spec)) }, nil
}

// spec answers every request.
var spec = contender.Spec{Work: contender.Write, Routes: []routes.Route{{Method: http.MethodGet, Pattern: "/some/page/:id"}}}

// check makes one request and compares the answer.
func check(address, path, want string) error {
	client := http.Client{Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	res, err := client.Get("http://" + address + path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || string(body) != want {
		return fmt.Errorf("GET %s: answer %d %q, want 200 %q", path, res.StatusCode, body, want)
	}
	return nil
}
