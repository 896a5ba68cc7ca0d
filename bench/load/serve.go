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

// Serve runs the contender or server with the given name; see [child.Serve].
func Serve(name string) error {
	serve, err := named(name)
	if err != nil {
		return err
	}
	return child.Serve(serve)
}

// named returns the function that serves a router with net/http's server, or
// our router with another server.
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

// spec has a single route for all requests of the load generator.
var spec = contender.Spec{Work: contender.Write, Routes: []routes.Route{{Method: http.MethodGet, Pattern: "/some/page/:id"}}}

// check sends one request and compares the response.
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
		return fmt.Errorf("GET %s: response %d %q, want 200 %q", path, res.StatusCode, body, want)
	}
	return nil
}
