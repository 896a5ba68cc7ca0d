package inspect

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"
)

// A Response is what Compare remembers of a response.
type Response struct {
	Status      int    // 0 if the handler panicked
	Location    string // header fields
	Allow       string
	ContentType string
	Header      http.Header // all fields, with those above
	Body        []byte      // the first 64 KB
	Size        int64       // of the whole body, in bytes
	Pattern     string      // of the route that ran, if the handler sets Request.Pattern
	Panic       string      // the value of a panic, as text
	Middleware  []string    // what the request passed, where Diff compares routes: names, then notes in brackets

	handler   string // the name of the handler that ran, where Diff compares routes
	respelled bool   // Location is the path of the request in another spelling
	rest      uint64 // a hash of the body after Body
	refused   int    // 401, 403 or the like, if that is the status at such a Location
	failed    noResponse
	cut       bool // the context ended before the body, so its end varies
}

const (
	keptBody = 64 << 10         // bytes of a body that are kept
	patience = 10 * time.Second // after which the context of a request ends
)

// ask returns the response of h to a copy of r.
func ask(h http.Handler, r *http.Request) (resp Response) {
	return askAtMost(h, r, math.MaxInt64)
}

// askAtMost is like ask, but ends the request after limit bytes of the body.
func askAtMost(h http.Handler, r *http.Request, limit int64) (resp Response) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	r = r.Clone(ctx)
	r.Pattern, r.Body = "", http.NoBody
	if r.GetBody != nil {
		body, err := r.GetBody()
		if r.Body = body; err != nil {
			r.Body = failing(err)
		}
	}
	w := newResponseWriter(r.Method, limit, cancel)
	requested := r.URL.Path // a proxy may change it
	defer func() {
		resp = w.response()
		resp.respelled = resp.redirects() && respelled(requested, resp.Location)
		resp.Pattern, resp.cut = r.Pattern, resp.cut || ctx.Err() != nil
		if v := recover(); v != nil {
			resp.Status, resp.Panic = 0, fmt.Sprint(v)
			resp.failed, _ = v.(noResponse)
		}
	}()
	h.ServeHTTP(w, r)
	return resp
}

// keepBody reads the body of r if it can be read only once, as that of
// httptest.NewRequest, so that each handler gets it. If that fails, it fails for
// each of them.
func keepBody(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody || r.GetBody != nil {
		return
	}
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	r.GetBody = func() (io.ReadCloser, error) {
		if err != nil {
			return io.NopCloser(io.MultiReader(bytes.NewReader(data), failing(err))), nil
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	r.Body, _ = r.GetBody()
}

// failing returns a body that can't be read.
func failing(err error) io.ReadCloser { return brokenBody{err} }

type brokenBody struct{ err error }

func (b brokenBody) Read([]byte) (int, error) { return 0, b.err }
func (b brokenBody) Close() error             { return nil }

// respelled reports whether a Location is a path in another spelling: another
// case, with or without a trailing slash, or clean.
func respelled(requested, location string) bool {
	u, err := url.Parse(location)
	return err == nil && strings.EqualFold(path.Clean(u.Path), path.Clean("/"+requested))
}

// follow sets refused, if resp is the response of h to r and redirects to another
// spelling of the path.
func (resp *Response) follow(h http.Handler, r *http.Request) {
	if !resp.respelled || !strings.HasPrefix(resp.Location, "/") {
		return
	}
	next := serverRequest(r.Method, r.Host, resp.Location)
	if next == nil {
		return
	}
	next.Header, next.GetBody, next.ContentLength = r.Header, r.GetBody, r.ContentLength
	if there := ask(h, next); there.denies() {
		resp.refused = there.Status
	}
}

// A responseWriter keeps a response. Package httptest has one too, but it adds a
// flag to the command line of programs that import it.
type responseWriter struct {
	mu     sync.Mutex // a handler may leave goroutines that write
	done   bool
	header http.Header // as the handler sees it
	sent   http.Header // as it was when the response began; nil before
	status int
	head   bool
	cancel func() // ends the context of the request
	body   bytes.Buffer
	rest   maphash.Hash
	size   int64
	limit  int64 // of size
}

func newResponseWriter(method string, limit int64, cancel func()) *responseWriter {
	w := &responseWriter{header: http.Header{}, head: method == http.MethodHead, cancel: cancel, limit: limit}
	w.rest.SetSeed(seed)
	return w
}

// seed is the same for all bodies, which are compared by their hashes.
var seed = maphash.MakeSeed()

func (w *responseWriter) Header() http.Header { return w.header }

func (w *responseWriter) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(code)
}

func (w *responseWriter) writeHeader(code int) {
	if w.done {
		return
	}
	if w.sent == nil && (code >= 200 || code == http.StatusSwitchingProtocols) {
		w.status, w.sent = code, w.header.Clone()
		if mediaType(w.sent.Get("Content-Type")) == "text/event-stream" { // it rarely ends
			time.AfterFunc(time.Second, w.cancel)
		}
	}
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sent == nil {
		w.writeHeader(http.StatusOK)
	}
	if w.done || w.size > w.limit {
		w.cancel()
		return 0, http.ErrHandlerTimeout
	}
	if w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return 0, http.ErrBodyNotAllowed
	}
	if _, ok := w.sent["Content-Type"]; !ok && w.size == 0 && len(p) > 0 && w.sent.Get("Content-Encoding") == "" {
		w.sent.Set("Content-Type", http.DetectContentType(p)) // as a server does
	}
	w.size += int64(len(p))
	if !w.head {
		kept := min(len(p), keptBody-w.body.Len())
		w.body.Write(p[:kept])
		w.rest.Write(p[kept:])
	}
	return len(p), nil
}

func (w *responseWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// Flush makes the writer an http.Flusher.
func (w *responseWriter) Flush() { w.WriteHeader(http.StatusOK) }

// begin is like WriteHeader for a header of another writer.
func (w *responseWriter) begin(header http.Header, code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.header = header
	w.writeHeader(code)
}

// drop discards the response.
func (w *responseWriter) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done, w.header, w.sent, w.body = true, nil, http.Header{}, bytes.Buffer{}
}

// response returns the response. Nothing can be written afterwards.
func (w *responseWriter) response() Response {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(http.StatusOK) // for a handler that wrote nothing
	w.done = true
	if w.head {
		w.size = 0
	}
	return Response{
		Status: w.status, Location: w.sent.Get("Location"), Allow: strings.Join(w.sent["Allow"], ", "), ContentType: w.sent.Get("Content-Type"),
		Header: w.sent, Body: w.body.Bytes(), Size: w.size, rest: w.rest.Sum64(), cut: w.size > w.limit,
	}
}

var _ io.StringWriter = (*responseWriter)(nil)
