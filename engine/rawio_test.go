package engine

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// ports are what differs between connections in the text of an error.
var ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// TestOpError compares the errors of reads and writes with net/http's: their
// text, and the types in their chain.
func TestOpError(t *testing.T) {
	describe := func(err error) string {
		var op *net.OpError
		var call *os.SyscallError
		if !errors.As(err, &op) {
			return "no OpError: " + err.Error()
		}
		text := ports.ReplaceAllString(err.Error(), "ADDR") + "; " + op.Op + " " + op.Net
		if errors.As(err, &call) {
			text += "; call " + call.Syscall
		}
		if op.Timeout() {
			text += "; timeout"
		}
		return text
	}
	handler := func(errs chan string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			rc.EnableFullDuplex() // else writing waits for the body
			var err error
			switch r.URL.Path {
			case "/read":
				w.WriteHeader(100)
				for err == nil {
					_, err = r.Body.Read(make([]byte, 1))
				}
			case "/readtimeout":
				rc.SetReadDeadline(longAgo)
				_, err = r.Body.Read(make([]byte, 1))
			case "/write":
				w.WriteHeader(103)
				for err == nil {
					time.Sleep(time.Millisecond)
					io.WriteString(w, "text")
					err = rc.Flush()
				}
			case "/writetimeout":
				rc.SetWriteDeadline(longAgo)
				io.WriteString(w, "text")
				err = rc.Flush()
			}
			errs <- describe(err)
		}
	}
	for _, network := range []string{"tcp", "unix"} {
		for _, path := range []string{"/read", "/readtimeout", "/write", "/writetimeout"} {
			t.Run(network+path, func(t *testing.T) {
				var want string
				for i, k := range kinds {
					errs := make(chan string, 1)
					s := k.make(&http.Server{Handler: handler(errs)})
					addr := startOn(t, listenOn(t, network), s, s.Serve)
					c, err := net.Dial(network, addr)
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close()
					io.WriteString(c, "POST "+path+" HTTP/1.1\r\nHost: h\r\nContent-Length: 500\r\n\r\n")
					if !strings.HasSuffix(path, "timeout") {
						// Closing with unread input resets the connection.
						c.SetReadDeadline(time.Now().Add(2 * time.Minute))
						if _, err := c.Read(make([]byte, 1)); err != nil {
							t.Fatal(err)
						}
						c.Close()
					}
					got := strings.ReplaceAll(eventually(t, "an error", errs), addr, "PATH")
					if i == 0 {
						want = got
					} else if path == "/write" {
						// Whether it is a broken pipe or a reset depends on timing.
						got, want = errnoText.ReplaceAllString(got, "ERRNO"), errnoText.ReplaceAllString(want, "ERRNO")
					}
					if got != want {
						t.Errorf("%s: %s, want %s", k.name, got, want)
					}
				}
			})
		}
	}
}

var errnoText = regexp.MustCompile(`broken pipe|connection reset by peer`)
