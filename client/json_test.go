package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/client"
)

// A quoter quotes its argument in its error, as encoding/json of Go 1.27 does
// with the names of members.
type quoter struct{}

func (quoter) UnmarshalText(p []byte) error { return fmt.Errorf("bad value %s", p) }

func TestJSON(t *testing.T) {
	type in struct{ A int }
	type out struct {
		B            int
		Type, Accept string // of the request
		Quoter       quoter
	}
	srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" && r.ContentLength != 0 {
			t.Errorf("%s: a body of %d bytes", r.URL, r.ContentLength)
		}
		switch r.URL.Path {
		case "/double":
			var n int
			fmt.Fscanf(r.Body, `{"A":%d}`, &n)
			fmt.Fprintf(w, `{"B":%d,"type":%q,"accept":%q}`, 2*n, r.Header.Get("Content-Type"), r.Header.Get("Accept"))
		case "/empty":
			w.WriteHeader(204)
		case "/garbage":
			io.WriteString(w, "<html>")
		case "/trailing":
			io.WriteString(w, `{"B":1} x`)
		case "/switch":
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			io.Copy(io.Discard, c) // until the client closes it
			c.Close()
		case "/quoter":
			io.WriteString(w, `{"quoter":"a\nb"}`)
		case "/large":
			io.WriteString(w, `{"B":1`+strings.Repeat(" ", client.DefaultMax)+"}")
		default:
			w.WriteHeader(404)
			io.WriteString(w, "no such thing "+strings.Repeat("x", 10_000))
		}
	})
	c := use(t, client.Options{})
	for _, row := range []struct {
		method, path string
		in           any
		want         int
		text         string
	}{
		{"POST", "/double", in{21}, 42, ""},
		{"GET", "/double", nil, 0, ""},
		{"GET", "/empty", nil, 0, ""},
		{"GET", "/garbage", nil, 0, "client: the response is not the expected JSON"},
		{"GET", "/trailing", nil, 0, "client: the response is not the expected JSON"},
		{"GET", "/switch", nil, 0, `client: the server responded with 101 Switching Protocols: ""`},
		{"GET", "/quoter", nil, 0, `client: the response is not the expected JSON: "bad value a\nb"`},
		{"GET", "/large", nil, 0, "client: the response is larger than 8388608 bytes; use DoJSON"},
		{"GET", "/none", nil, 0, `client: the server responded with 404 Not Found: "no such thing `},
		{"POST", "/double", func() {}, 0, "client: cannot encode the request as JSON"},
		{"PO ST", "/double", nil, 0, "client: net/http: invalid method"},
	} {
		got, err := client.JSON[out](context.Background(), c, row.method, srv.URL+row.path, row.in)
		if got.B != row.want || (err == nil) != (row.text == "") || err != nil && !strings.HasPrefix(err.Error(), row.text) {
			t.Errorf("%s %s: %+v, %v; want %d, %q", row.method, row.path, got, err, row.want, row.text)
		}
		if err == nil && row.path == "/double" && (got.Accept != "application/json" || (got.Type == "application/json") != (row.in != nil)) {
			t.Errorf("%s %s: sent Accept %q and Content-Type %q", row.method, row.path, got.Accept, got.Type)
		}
	}
	_, err := client.JSON[out](context.Background(), c, "GET", srv.URL+"/none", nil)
	if se := (*client.StatusError)(nil); !errors.As(err, &se) || se.StatusCode != 404 || len(se.Body) != 4<<10 || len(err.Error()) > 300 {
		t.Errorf("%.100v: want a *StatusError with 4 KiB of the body and a short text", err)
	}
	u, _ := url.Parse(srv.URL + "/double")
	bare := &http.Request{Method: "GET", URL: u}
	if got, err := client.DoJSON[out](c, bare, 0); err != nil || got.B != 0 {
		t.Errorf("a request without a header map: %+v, %v", got, err)
	}
	custom := &http.Request{Method: "GET", URL: u, Header: http.Header{"Accept": {"text/x-json"}}}
	if got, err := client.DoJSON[out](c, custom, 0); err != nil || got.Accept != "text/x-json" {
		t.Errorf("a request with an Accept header: %+v, %v", got, err)
	}
	post, _ := http.NewRequest("POST", srv.URL+"/double", strings.NewReader(`{"A":3}`))
	if got, err := client.DoJSON[out](c, post, math.MaxInt64); err != nil || got.B != 6 {
		t.Errorf("without a limit: %+v, %v", got, err)
	}
	if got, err := client.JSON[out](context.Background(), nil, "POST", srv.URL+"/double", in{1}); err != nil || got.B != 2 {
		t.Errorf("with the shared client: %+v, %v", got, err)
	}
}

// A closing body records that it was closed.
type closing struct {
	io.Reader
	closed *bool
}

func (c closing) Close() error { *c.closed = true; return nil }

// TestDoJSON checks that DoJSON uses the given client and limit, and closes the
// body in every case.
func TestDoJSON(t *testing.T) {
	for _, tt := range []struct {
		status int
		text   string
		max    int64
		want   int
		err    string
	}{
		{200, "12345", 5, 12345, ""},
		{200, "12345", 4, 0, "client: the response is larger than 4 bytes; use DoJSON"},
		{200, "x", 0, 0, "client: the response is not the expected JSON"},
		{299, "1", 0, 1, ""},
		{300, "1", 0, 0, "client: the server responded with "},
	} {
		closed := false
		c := &http.Client{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: tt.status, Body: closing{strings.NewReader(tt.text), &closed}, Request: r}, nil
		})}
		req, _ := http.NewRequest("GET", "http://example.invalid", nil)
		got, err := client.DoJSON[int](c, req, tt.max)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) || !closed {
			t.Errorf("%d %s, at most %d: %d, %v, closed %v; want %d, %q", tt.status, tt.text, tt.max, got, err, closed, tt.want, tt.err)
		}
	}
}

// TestStatusError checks that a server can't write to the terminal or the log
// with its status line, and that the text is short.
func TestStatusError(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, status := range []string{"500 a\rb\x1b[2J", "500 " + long} {
		srv, _ := serve(t, "http", func(w http.ResponseWriter, r *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(c, "HTTP/1.1 "+status+"\r\n\r\n"+long)
			c.Close()
		})
		_, err := client.JSON[int](t.Context(), use(t, client.Options{}), "GET", srv.URL, nil)
		if se, ok := errors.AsType[*client.StatusError](err); !ok || se.Status != status || len(err.Error()) > 500 || strings.ContainsAny(err.Error(), "\r\x1b") {
			t.Errorf("%.20q: %.600q", status, err)
		}
	}
}
