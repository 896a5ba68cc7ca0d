package body_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/engine"
)

// wrapped hides the optional methods of a writer, except through Unwrap, like a
// status recorder.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func statusOf(err error) int {
	if e := (*body.Error)(nil); errors.As(err, &e) {
		return e.StatusCode()
	}
	return 0
}

// broken returns a reader of s that then fails with err.
func broken(s string, err error) io.Reader {
	return io.MultiReader(strings.NewReader(s), errReader{err})
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestReadJSON(t *testing.T) {
	type user struct {
		Name string
		Raw  json.RawMessage
	}
	for _, c := range []struct {
		name, want string
		proto      int // default: 1
		body       io.Reader
		status     int
		text       string
	}{
		{name: "one value", body: strings.NewReader(`{"name":"ann","raw":[1]}`), want: `{ann [1]}`},
		{name: "space around it", body: strings.NewReader(" {\"name\":\"ann\"}\n"), want: `{ann }`},
		{name: "at the limit", body: strings.NewReader(`{"name":"` + strings.Repeat("a", 1000-11) + `"}`), want: "{" + strings.Repeat("a", 1000-11) + " }"},
		{name: "past the limit", body: strings.NewReader(`{"name":"` + strings.Repeat("a", 1000-10) + `"}`), status: 413, text: "larger than 1000 bytes"},
		{name: "past the limit, length unknown", body: io.MultiReader(strings.NewReader(strings.Repeat(" ", 1001))), status: 413, text: "larger than 1000 bytes"},
		{name: "past the limit, HTTP/2", proto: 2, body: strings.NewReader(strings.Repeat(" ", 1001)), status: 413, text: "larger than 1000 bytes"},
		{name: "past the limit, length unknown, HTTP/2", proto: 2, body: io.MultiReader(strings.NewReader(strings.Repeat(" ", 1001))), status: 413, text: "larger than 1000 bytes"},
		{name: "broken off", body: broken(`{"name"`, io.ErrUnexpectedEOF), status: 400, text: "ends early"},
		{name: "too slow", body: broken(`{"name"`, os.ErrDeadlineExceeded), status: 408, text: "took too long"},
		{name: "the deadline of a context", body: broken(`{"name"`, context.DeadlineExceeded), status: 408, text: "took too long"},
		{name: "reset", body: broken(`{"name"`, net.ErrClosed), status: 400, text: "cannot be read"},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/", c.body)
		r.ProtoMajor = cmp.Or(c.proto, 1)
		v, err := body.ReadJSON[user](w, r, 1000)
		if closes := w.Header().Get("Connection") == "close"; closes != (c.status == 413 && r.ProtoMajor == 1) { // HTTP/2 ends only the stream
			t.Errorf("%s: HTTP/%d closes the connection: %v", c.name, r.ProtoMajor, closes)
		}
		if got := statusOf(err); got != c.status {
			t.Errorf("%s: status %d (%v), want %d", c.name, got, err, c.status)
		}
		if err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %q does not say %q", c.name, err, c.text)
		}
		if got := "{" + v.Name + " " + string(v.Raw) + "}"; err == nil && got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if e, ok := errors.AsType[*body.Error](err); ok {
			if d := e.ProblemDetail(); !strings.HasSuffix(d, ".") {
				t.Errorf("%s: a client is told %q", c.name, d)
			}
		}
		if err != nil && (v.Name != "" || v.Raw != nil) {
			t.Errorf("%s: half a value came with the error: %+v", c.name, v)
		}
	}
}

func TestWithBodyNil(t *testing.T) {
	called := false
	err := body.WithBody(httptest.NewRecorder(), &http.Request{}, 0, func(p []byte) error { called = true; return io.EOF })
	if !called || err != io.EOF {
		t.Errorf("called %v, error %v; want the callback's own error", called, err)
	}
}

// TestAnnouncedLengthCostsNothing checks that a large Content-Length doesn't
// cause a large allocation.
func TestAnnouncedLengthCostsNothing(t *testing.T) {
	r := httptest.NewRequest("POST", "/", strings.NewReader("short"))
	r.ContentLength = 1 << 30
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := body.WithBody(httptest.NewRecorder(), r, 2<<30, func(p []byte) error { return nil })
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != nil || got > 1<<20 {
		t.Errorf("allocated %d bytes for a body of 5 (%v), want less than 1 MiB", got, err)
	}
}

// TestRefusalIsImmediate checks that a rejected upload gets its response
// immediately, while the client waits for it, also with a wrapped writer.
func TestRefusalIsImmediate(t *testing.T) {
	refuse := func(w http.ResponseWriter, r *http.Request) {
		err := body.WithBody(w, r, 100<<10, func([]byte) error { return nil })
		w.WriteHeader(statusOf(err))
	}
	part := strings.Repeat("a", 110_000)
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		sent    string
	}{
		{"bare, announced", refuse, "Content-Length: 400000\r\n\r\n" + part},
		{"bare, announced, nothing sent", refuse, "Content-Length: 400000\r\n\r\n"},
		{"wrapped, announced", func(w http.ResponseWriter, r *http.Request) { refuse(wrapped{w}, r) }, "Content-Length: 200000\r\n\r\n" + part},
		{"bare, chunked", refuse, "Transfer-Encoding: chunked\r\n\r\n1e848\r\n" + part},
		{"wrapped, chunked", func(w http.ResponseWriter, r *http.Request) { refuse(wrapped{wrapped{w}}, r) }, "Transfer-Encoding: chunked\r\n\r\n1e848\r\n" + part},
	} {
		for _, on := range []string{"net/http", "the engine"} {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			srv := &http.Server{Handler: c.handler}
			if on == "net/http" {
				go srv.Serve(ln)
				defer srv.Close()
			} else {
				e := engine.New(srv)
				go e.Serve(ln)
				defer e.Close()
			}
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			conn.SetDeadline(time.Now().Add(2 * time.Minute)) // in case of a failure, it would hang
			io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\n"+c.sent)
			response := make([]byte, 12)
			if _, err := io.ReadFull(conn, response); err != nil || string(response) != "HTTP/1.1 413" {
				t.Errorf("%s, %s: %q, %v; want HTTP/1.1 413", on, c.name, response, err)
			}
			conn.Close()
		}
	}
}

type failsLate struct{}

func (failsLate) MarshalJSON() ([]byte, error) { return nil, errors.New("no luck") }

func TestWriteJSON(t *testing.T) {
	for _, c := range []struct {
		name    string
		method  string
		code    int
		v       any
		want    string
		length  string
		errText string
	}{
		{name: "object", method: "GET", code: 201, v: map[string]int{"a": 1}, want: `{"a":1}`, length: "7"},
		{name: "html is escaped", method: "GET", code: 200, v: "<b>", want: `"\u003cb\u003e"`, length: "15"},
		{name: "large", method: "GET", code: 200, v: strings.Repeat("a", 100_000), want: `"` + strings.Repeat("a", 100_000) + `"`, length: "100002"},
		{name: "HEAD keeps the length", method: "HEAD", code: 200, v: 12, want: "", length: "2"},
		{name: "103 has no body", method: "GET", code: 103, v: 12, want: "", length: "0"},
		{name: "204 has no body", method: "GET", code: 204, v: 12, want: ""},
		{name: "205 has no body", method: "GET", code: 205, v: 12, want: "", length: "0"},
		{name: "304 has no body", method: "GET", code: 304, v: 12, want: ""},
		{name: "a failure after 128 KiB", method: "GET", code: 200, v: []any{strings.Repeat("a", 128<<10), failsLate{}}, want: "failed\n", length: "7", errText: "body: cannot encode the response as JSON"},
		{name: "not JSON", method: "GET", code: 200, v: func() {}, want: "failed\n", length: "7", errText: "body: cannot encode the response as JSON"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := body.WriteJSON(w, c.code, c.v); err != nil {
				if c.errText == "" || !strings.Contains(err.Error(), c.errText) {
					t.Errorf("%s: error %q, want %q", c.name, err, c.errText)
				}
				http.Error(w, "failed", 500)
			}
		}))
		req, _ := http.NewRequest(c.method, srv.URL, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		srv.Close()
		wantCode, wantType := c.code, "application/json"
		switch {
		case c.errText != "":
			wantCode, wantType = 500, "text/plain; charset=utf-8"
		case c.code < 200: // another one follows
			wantCode, wantType = 200, ""
		case c.code == 205:
			wantType = ""
		}
		if resp.StatusCode != wantCode || string(got) != c.want || resp.Header.Get("Content-Length") != c.length {
			t.Errorf("%s: %d %.40q, length %q; want %d %.40q, %q", c.name, resp.StatusCode, got, resp.Header.Get("Content-Length"), wantCode, c.want, c.length)
		}
		if ct := resp.Header.Get("Content-Type"); c.length != "" && ct != wantType {
			t.Errorf("%s: Content-Type %q, want %q", c.name, ct, wantType)
		}
	}
}

// TestWriteJSONInsideCompression checks that WriteJSON doesn't set
// Content-Length if a middleware that compresses has set Content-Encoding.
func TestWriteJSONInsideCompression(t *testing.T) {
	want := strings.Repeat("a", 10_000)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		gz := gzip.NewWriter(w)
		defer gz.Close()
		if err := body.WriteJSON(zipped{w, gz}, 200, want); err != nil {
			t.Error(err)
		}
	}))
	defer srv.Close()
	resp, err := http.Get(srv.URL) // net/http decompresses
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); string(got) != strconv.Quote(want) || err != nil {
		t.Errorf("got %d bytes, %v; want %d", len(got), err, len(want)+2)
	}
}

type zipped struct {
	http.ResponseWriter
	gz io.Writer
}

func (z zipped) Write(p []byte) (int, error) { return z.gz.Write(p) }

// countingWriter counts Writes and records whether ReadFrom was called.
type countingWriter struct {
	http.ResponseWriter
	writes int
	readFr bool
}

func (w *countingWriter) Write(p []byte) (int, error) { w.writes++; return len(p), nil }
func (w *countingWriter) ReadFrom(r io.Reader) (int64, error) {
	w.readFr = true
	return io.Copy(io.Discard, r)
}

// TestWriteJSONIsOneWrite checks that a large value is one Write, and that a
// Content-Type that was set remains.
func TestWriteJSONIsOneWrite(t *testing.T) {
	w := &countingWriter{ResponseWriter: httptest.NewRecorder()}
	w.Header().Set("Content-Type", "application/problem+json")
	err := body.WriteJSON(w, 200, strings.Repeat("a", 1<<20))
	if got := w.Header().Get("Content-Type"); err != nil || w.writes != 1 || got != "application/problem+json" {
		t.Errorf("%v, %d writes, Content-Type %q; want 1 and the type that was set", err, w.writes, got)
	}
}

func TestCopy(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	text := strings.Repeat("0123456789", 20_000)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain := struct{ io.Reader }{strings.NewReader(text)}
	for _, c := range []struct {
		name   string
		src    io.Reader
		want   int64
		readFr bool
	}{
		{"a stream never goes to ReadFrom", plain, 200_000, false},
		{"a file does, for sendfile", file, 200_000, true},
		{"part of a file too", io.LimitReader(io.NewSectionReader(file, 0, 1), 0), 0, false},
		{"a limited file", &io.LimitedReader{R: file, N: 0}, 0, true},
		{"a WriterTo", strings.NewReader(text), 200_000, false},
	} {
		w := &countingWriter{ResponseWriter: httptest.NewRecorder()}
		n, err := body.Copy(w, c.src)
		if n != c.want || err != nil || w.readFr != c.readFr {
			t.Errorf("%s: %d, %v, ReadFrom %v; want %d, nil, %v", c.name, n, err, w.readFr, c.want, c.readFr)
		}
	}
	var out bytes.Buffer
	if n, err := body.Copy(&out, broken("abc", io.ErrUnexpectedEOF)); n != 3 || err != io.ErrUnexpectedEOF || out.String() != "abc" {
		t.Errorf("a source that breaks: %d, %v, %q", n, err, out.String())
	}
}

func TestBuffers(t *testing.T) {
	var b body.Buffers
	p := b.Get()
	if len(p) != 64<<10 {
		t.Errorf("got %d bytes, want 64 KiB", len(p))
	}
	b.Put(p)
	b.Put(p[:10])
	b.Put(make([]byte, 10))
	if got := len(b.Get()); got != 64<<10 {
		t.Errorf("after odd slices: %d bytes, want 64 KiB", got)
	}
}
