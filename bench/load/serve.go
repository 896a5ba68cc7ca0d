package load

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/child"
	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/routes"
)

// Serve serves the contender or server of that name; see [child.Serve].
func Serve(name string) error {
	serve, err := named(name)
	if err != nil {
		return err
	}
	return child.Serve(serve)
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
