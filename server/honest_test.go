package server_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// An honest exchange is a request of a slow but honest client to a slow but honest
// handler. It takes several times the patience for which it was made.
type honest struct {
	name string
	body func() io.Reader
	h    http.HandlerFunc
	want string
	read func(io.Reader) string // instead of all at once
	// duplex is set if the body arrives later than StallTimeout permits. The
	// connection must not give way, because enough of the response is sent.
	duplex bool
}

// run sends the request and checks the response.
func (c honest) run(v variant, addr string) error {
	var body io.Reader
	if c.body != nil {
		body = c.body()
	}
	req, _ := http.NewRequest("POST", v.scheme+addr, body)
	tr := v.transport()
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var got string
	if c.read != nil {
		got = c.read(resp.Body)
	} else {
		var text []byte
		text, err = io.ReadAll(resp.Body)
		got = string(text)
	}
	if err != nil || got != c.want {
		return fmt.Errorf("%d bytes, %.60q, %v; want %d, %.60q", len(got), got, err, len(c.want), c.want)
	}
	return nil
}

// lateBody returns a body that arrives after several times patience.
func lateBody(patience time.Duration) func() io.Reader {
	return func() io.Reader {
		pr, pw := io.Pipe()
		go func() { <-time.After(3 * patience); io.WriteString(pw, "late"); pw.Close() }()
		return pr
	}
}

// TestHonestTrafficSurvives checks that slow but honest clients and handlers
// are not disconnected: not by StallTimeout, and not to make room for another
// client. A busy machine may not run a client for as long, so each exchange is
// tried again with more patience.
func TestHonestTrafficSurvives(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, exchangeSize), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, c := range exchanges(file, patience) {
		for _, v := range variants {
			t.Run(c.name+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				for patience := patience; ; patience *= 3 {
					err := survives(t, exchanges(file, patience)[i], v, patience)
					if err == nil {
						return
					}
					if patience > 10*time.Second {
						t.Error(err)
						return
					}
				}
			})
		}
	}
}

// survives runs an exchange with a server that has room for one connection,
// while another client waits for it.
func survives(t *testing.T, c honest, v variant, patience time.Duration) error {
	started := make(chan bool, 1)
	_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other" {
			hello(w, r)
			return
		}
		started <- true
		c.h(w, r)
	}), func(s *server.Server) {
		v.configure(t, s)
		s.MaxConns, s.HTTP.ReadHeaderTimeout = 1, longest // for a busy machine
		if !c.duplex {
			s.StallTimeout = patience
		}
	})
	other := make(chan error, 1)
	go func() {
		<-started
		tr := v.transport()
		defer tr.CloseIdleConnections()
		other <- get(&http.Client{Transport: tr}, v.scheme+addr+"/other")
	}()
	err := c.run(v, addr)
	select { // if the request didn't get to the handler
	case started <- true:
	default:
	}
	if err2 := <-other; err2 != nil {
		return fmt.Errorf("another client: %w", err2)
	}
	return err
}

const exchangeSize = 24 << 20

// exchanges returns the exchanges for a server with the StallTimeout patience.
// file has exchangeSize bytes.
func exchanges(file string, patience time.Duration) []honest {
	pause := func(n int) { <-time.After(time.Duration(n) * patience) }
	slowly := func(r io.Reader) string {
		slow := int64(0)
		for range 3 * patience / (20 * time.Millisecond) {
			<-time.After(20 * time.Millisecond)
			n, _ := io.CopyN(io.Discard, r, 96<<10)
			slow += n
		}
		n, err := io.Copy(io.Discard, r)
		return fmt.Sprint(slow+n, " ", err)
	}
	alive := func(w http.ResponseWriter, r *http.Request) {
		if err := r.Context().Err(); err != nil {
			panic(http.ErrAbortHandler)
		}
		hello(w, r)
	}
	parts := int(3 * patience / (100 * time.Millisecond)) // of a response or body
	// slowBody sends 4 KiB every 100 ms. After a second without, the connection
	// would make room for another client.
	slowBody := func() io.Reader {
		pr, pw := io.Pipe()
		go func() {
			for range parts {
				<-time.After(100 * time.Millisecond)
				pw.Write(make([]byte, 4<<10))
			}
			pw.Close()
		}()
		return pr
	}
	body := func(text string) func() io.Reader {
		return func() io.Reader { return strings.NewReader(text) }
	}
	large := body(strings.Repeat("x", 1<<20))
	count := func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprintln(w, n, err)
	}
	// readWith reads the body with the handler's own deadline.
	readWith := func(deadline func() time.Time) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetReadDeadline(deadline())
			text, err := io.ReadAll(r.Body)
			fmt.Fprintln(w, string(text), err)
		}
	}
	return []honest{
		{name: "events, far apart", h: func(w http.ResponseWriter, r *http.Request) {
			for range 3 {
				io.WriteString(w, "event ")
				http.NewResponseController(w).Flush()
				pause(2)
			}
			alive(w, r)
		}, want: "event event event hello"},
		{name: "a slow handler", h: func(w http.ResponseWriter, r *http.Request) { pause(3); alive(w, r) }, want: "hello"},
		{name: "a slow handler that has read its body", body: body("x"), h: func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			pause(3)
			alive(w, r)
		}, want: "hello"},
		{name: "events without having read the body", body: body("x"), h: func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			pause(3)
			alive(w, r)
		}, want: "hello"},
		{name: "a handler that thinks before it reads", body: large, h: func(w http.ResponseWriter, r *http.Request) { pause(3); count(w, r) }, want: "1048576 <nil>\n"},
		{name: "a handler that thinks while it reads", body: large, h: func(w http.ResponseWriter, r *http.Request) {
			io.CopyN(io.Discard, r.Body, 1<<19)
			pause(3)
			count(w, r)
		}, want: "524288 <nil>\n"},
		{name: "a slow upload", body: slowBody, h: count, want: fmt.Sprintln(parts*4<<10, nil)},
		{name: "an upload that the handler waits longer for", body: lateBody(patience), h: readWith(func() time.Time { return time.Now().Add(20 * patience) }), want: "late <nil>\n"},
		{name: "an upload without a deadline", body: lateBody(patience), h: readWith(func() time.Time { return time.Time{} }), want: "late <nil>\n"},
		{name: "a slow handler that has read its body with its own deadline", body: body("x"), h: func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetReadDeadline(time.Now().Add(2 * patience))
			io.Copy(io.Discard, r.Body)
			<-time.After(patience / 2)
			r.Context().Done() // watch the client
			pause(3)
			alive(w, r)
		}, want: "hello"},
		{name: "a slow download", h: func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, exchangeSize)) }, want: "25165824 <nil>", read: slowly},
		{name: "a handler that waits for its body while it responds", duplex: true, body: lateBody(patience), h: func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).EnableFullDuplex()
			var reader sync.WaitGroup
			reader.Go(func() { io.Copy(io.Discard, r.Body) })
			for range parts {
				<-time.After(100 * time.Millisecond)
				if _, err := w.Write(make([]byte, 16<<10)); err != nil {
					panic(http.ErrAbortHandler)
				}
			}
			reader.Wait()
		}, want: strings.Repeat("\x00", parts*16<<10)},
		{name: "a slow download of a file", h: sendFile(file), want: "25165824 <nil>", read: slowly},
	}
}
