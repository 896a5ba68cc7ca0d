package interop

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/spec"
)

// h2specExceptions are cases that a server may fail, by path. The first wants
// RST_STREAM for an idle stream, which RFC 9113 section 6.4 forbids. In the second,
// the server has reset the stream, whose response is complete, before the error
// of the client.
var h2specExceptions = map[string][]string{
	"/":       {"http2/5.3.1/2"},
	"/unread": {"http2/5.3.1/2", "http2/6.9.1/3"},
}

// TestH2spec runs h2spec, a conformance test of HTTP/2 servers, in strict mode
// against the engine, with and without TLS, and handlers that read requests or
// don't. TestH2specNetHTTP shows which of the cases net/http fails.
func TestH2spec(t *testing.T) {
	for _, srv := range servers {
		if srv.name == netHTTP.name {
			continue
		}
		for _, overTLS := range []bool{false, true} {
			for _, path := range []string{"/", "/unread"} {
				t.Run(fmt.Sprintf("%s/tls=%t%s", srv.name, overTLS, path), func(t *testing.T) {
					t.Parallel()
					for _, failure := range h2specFailures(t, srv, overTLS, path) {
						if !slices.Contains(h2specExceptions[path], failure.name) {
							t.Error(failure)
						}
					}
				})
			}
		}
	}
}

// netHTTPFails are the cases of h2spec that net/http fails over a plain
// connection.
var netHTTPFails = []string{"http2/3.5/2", "http2/4.2/3", "http2/6.5.3/1", "http2/8.1.2.2/1", "http2/8.1.2.2/2"}

func TestH2specNetHTTP(t *testing.T) {
	t.Parallel()
	var names []string
	for _, f := range h2specFailures(t, netHTTP, false, "/") {
		names = append(names, f.name)
	}
	if !slices.Equal(names, netHTTPFails) {
		t.Errorf("net/http fails %q, want %q; update the documents", names, netHTTPFails)
	}
}

// An h2specFailure is a case of h2spec that a server failed.
type h2specFailure struct {
	name string // section and number, such as "http2/6.5.3/1"
	text string
	err  error
}

func (f h2specFailure) String() string { return fmt.Sprintf("%s: %s: %v", f.name, f.text, f.err) }

// h2specFailures runs all cases of h2spec against a server. The server speaks
// only HTTP/2: with HTTP/1.1, an invalid preface would be an HTTP/1.1 request.
func h2specFailures(t *testing.T, srv server, overTLS bool, path string) (failures []h2specFailure) {
	t.Helper()
	addr := serveH2(t, srv, overTLS)
	conf := &config.Config{
		Host: addr.IP.String(), Port: addr.Port, Path: path, Strict: true,
		TLS: overTLS, Insecure: true, MaxHeaderLen: 4000,
		// The time that h2spec waits for a server that has nothing to say;
		// many cases wait it out. Failed cases run again with more.
		Timeout: 500 * time.Millisecond,
	}
	var run func(g *spec.TestGroup)
	run = func(g *spec.TestGroup) {
		for i, tc := range slices.Concat(g.Tests, g.StrictTests) {
			err := runH2specCase(conf, tc)
			if err != nil {
				patient := *conf
				patient.Timeout = 10 * time.Second
				err = runH2specCase(&patient, tc)
			}
			if err != nil {
				failures = append(failures, h2specFailure{fmt.Sprintf("%s/%d", g.ID(), i+1), tc.Desc, err})
			}
		}
		for _, inner := range g.Groups {
			run(inner)
		}
	}
	for _, g := range []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()} {
		run(g)
	}
	return failures
}

func runH2specCase(conf *config.Config, tc *spec.TestCase) error {
	conn, err := spec.Dial(conf)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := tc.Run(conf, conn); err != nil && err != spec.ErrSkipped {
		var e *spec.TestError
		if errors.As(err, &e) {
			return fmt.Errorf("want %s, got %s", strings.Join(e.Expected, " or "), e.Actual)
		}
		return err
	}
	return nil
}

// serveH2 serves only HTTP/2 until the test ends.
func serveH2(t *testing.T, srv server, overTLS bool) *net.TCPAddr {
	t.Helper()
	s := newSite(t, http.NewServeMux(), srv)
	s.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, strings.Repeat("x", 100))
	})
	s.HandleFunc("/unread", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat("x", 100))
	})
	u, err := url.Parse(s.start(s, func(srv *http.Server) {
		srv.Protocols = new(http.Protocols)
		srv.Protocols.SetHTTP2(overTLS)
		srv.Protocols.SetUnencryptedHTTP2(!overTLS)
		if overTLS {
			srv.TLSConfig, _ = certificate(s)
		}
	}))
	s.must(err)
	addr, err := net.ResolveTCPAddr("tcp", u.Host)
	s.must(err)
	return addr
}
