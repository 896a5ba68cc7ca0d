package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// errDiffers is the error of compare and diff if they find differences. They
// have printed them.
var errDiffers = errors.New("the responses differ")

// compare prints which responses of two services differ.
func (c *command) compare(w io.Writer) error {
	requests, err := c.requests()
	if err != nil {
		return err
	}
	old, err := c.remote(c.args[0])
	if err != nil {
		return err
	}
	now, err := c.remote(c.args[1])
	if err != nil {
		return err
	}
	list := inspect.Compare(old, now, func(yield func(*http.Request) bool) {
		for _, r := range requests {
			for name, values := range c.header {
				r.Header[name] = values
			}
			r.Host = cmp.Or(c.header.Get("Host"), r.Host)
			if old.err != nil || now.err != nil || !yield(r) {
				return
			}
		}
	})
	if err := cmp.Or(old.err, now.err); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s\n", count(len(requests), "request", "requests"), count(len(list), "differs", "differ"))
	return printDifferences(w, list)
}

// count returns a number with a word for one or several.
func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", several)
}

func printDifferences(w io.Writer, list []inspect.Difference) error {
	if err := inspect.PrintDifferences(w, list); err != nil {
		return err
	}
	if len(list) > 0 {
		return errDiffers
	}
	return nil
}

// requests returns the requests of the files in the flags.
func (c *command) requests() (list []*http.Request, err error) {
	for _, source := range []struct {
		file string
		read func(io.Reader) ([]*http.Request, error)
	}{
		{c.routesFile, func(r io.Reader) ([]*http.Request, error) {
			routes, err := inspect.ReadRoutes(r)
			return slices.Collect(inspect.RequestsOf(routes)), err
		}},
		{c.log, inspect.ReadLog},
		{c.har, inspect.ReadHAR},
	} {
		if source.file == "" {
			continue
		}
		more, err := readFile(source.file, source.read)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// readFile returns what read makes of a file. Its errors name the file.
func readFile[T any](name string, read func(io.Reader) (T, error)) (v T, err error) {
	f, err := os.Open(name)
	if err != nil {
		return v, err
	}
	defer f.Close()
	if v, err = read(f); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return v, err
}

// diff prints for which requests the routes of two files differ.
func (c *command) diff(w io.Writer) error {
	var routes [2][]inspect.Route
	for i, name := range c.args {
		var err error
		if routes[i], err = readFile(name, inspect.ReadRoutes); err != nil {
			return err
		}
	}
	list, err := inspect.Diff(routes[0], routes[1])
	if err != nil {
		return err
	}
	return printDifferences(w, list)
}

// A remote is a service as a handler.
type remote struct {
	base      *url.URL
	transport http.RoundTripper
	failed    int   // number of requests without a response, negative after a response
	err       error // if the service can't be reached, or has no response to the first three requests
}

// remote returns the service at an address.
func (c *command) remote(address string) (*remote, error) {
	base, err := baseURL(address)
	if err != nil {
		return nil, err
	}
	if base.Path != "" { // each request below the page has the same response, whatever the routes are
		var routes []inspect.Route
		if _, err := c.get(base, "routes.json", &routes); err == nil {
			return nil, fmt.Errorf("%s is the page of the routes; compare needs the address of the service, such as %s://%s", base.Redacted(), base.Scheme, base.Host)
		}
	}
	transport := c.transport()
	transport.DisableCompression = true
	return &remote{base: base, transport: transport}, nil
}

// ServeHTTP sends the request to the service, and its response to w.
func (s *remote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.RequestURI = ""
	r.URL.Scheme, r.URL.Host = s.base.Scheme, s.base.Host
	if prefix := s.base.EscapedPath(); prefix != "" {
		r.URL.RawPath = prefix + r.URL.EscapedPath()
		r.URL.Path = s.base.Path + r.URL.Path
	}
	if r.Host == "example.com" {
		r.Host = s.base.Host
	}
	r.Close = r.Method == http.MethodHead // the handler may still run when its response has ended
	resp, err := s.transport.RoundTrip(r)
	if err != nil {
		var dial *net.OpError
		if s.failed++; s.failed == 3 || errors.As(err, &dial) && dial.Op == "dial" {
			s.err = unreachable(s.base, err)
		}
		panic(err) // a handler has aborted its response, for example
	}
	s.failed = math.MinInt // it works
	defer resp.Body.Close()
	header := w.Header()
	for name, values := range resp.Header {
		header[name] = values
	}
	if location := resp.Header.Get("Location"); location != "" { // without the address of the service
		location = strings.TrimPrefix(location, s.base.Scheme+"://"+s.base.Host)
		header.Set("Location", strings.TrimPrefix(location, s.base.Path))
	}
	w.WriteHeader(resp.StatusCode)
	if _, err := io.Copy(w, resp.Body); err != nil && r.Context().Err() == nil {
		panic(err) // a handler has aborted its response
	}
}
