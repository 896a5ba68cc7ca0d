package load

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// ServeFlag makes the command serve the contender of that name.
const ServeFlag = "-serve"

// Serve is the server process: it serves the contender on a free port of the loopback interface.
func Serve(name string) error {
	c, err := contender.Named(name)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- serve(c, listener) }()
	fmt.Println(listener.Addr())

	ended := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			fmt.Println(cpuMicros())
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

func serve(c contender.Contender, listener net.Listener) error {
	spec := contender.Spec{Work: contender.Write, Routes: []routes.Route{
		{Method: http.MethodGet, Pattern: "/some/page/:id"},
		{Method: http.MethodGet, Pattern: "/some/page"}, // has no parameter, so writes nothing
	}}
	if c.LoadFast != nil {
		return fasthttp.Serve(listener, c.LoadFast(spec))
	}
	return http.Serve(listener, c.Load(spec))
}

// check makes the case's request once and compares the answer.
func check(address string, c Case) error {
	if c.Param {
		return checkPath(address, c.Path(), "123")
	}
	return checkPath(address, c.Path(), "")
}

func checkPath(address, path, want string) error {
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
