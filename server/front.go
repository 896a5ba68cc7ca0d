package server

import (
	"io"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// A front is the handler that calls the user's handler. It records the activity
// of connections, limits the waiting time of requests, and responds to health
// checks.
type front struct {
	s       *Server
	ln      *listener
	next    http.Handler
	options bool // respond to OPTIONS * instead of next
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, _ := r.Context().Value(connKey{}).(*conn)
	if c == nil { // HTTP serves a second listener, or another server uses HTTP.Handler
		f.respond(w, r, nil)
		return
	}
	hasBody := r.Body != nil && r.Body != http.NoBody
	// Don't use r.ProtoMajor: net/http passes the HTTP/2 connection preface to
	// HTTP/1 handlers as a request (PRI * HTTP/2.0), for package h2c of x/net.
	_, http1 := w.(http.Hijacker)
	c.handlerBegins(w, hasBody && http1)
	defer c.handlerReturns(hasBody && http1)
	k := c.currentWork()
	if !http1 {
		c.http2.Store(true)
		st := newStream(w, r, c)
		defer st.finish()
		w, k = st, &st.work
		if hasBody {
			r.Body = &streamBody{ReadCloser: r.Body, s: st}
		}
	}
	body := r.Body
	f.respond(w, r, k)
	if http1 && r.Body != body {
		// Before Go 1.26.11, net/http looks here for a body that was closed unread,
		// and would serve the rest of one that it doesn't find as another request.
		r.Body = body
	}
}

// respond responds to r, or calls the user's handler. k is the work of the
// request, or nil.
func (f *front) respond(w http.ResponseWriter, r *http.Request, k *work) {
	s := f.s
	if s.draining.Load() || f.ln.waiting.Load() {
		// In HTTP/2, net/http sends a GOAWAY frame instead. An upgrade uses the
		// Connection header itself. Java's client offers h2c with each request.
		if u := r.Header.Get("Upgrade"); u == "" || u == "h2c" {
			w.Header().Set("Connection", "close")
		}
	}
	if f.options && r.RequestURI == "*" && r.Method == http.MethodOptions {
		// What net/http responds, but net/http's own handler, which would be
		// called instead of this one, waits for the body without a limit.
		w.Header().Set("Content-Length", "0")
		return
	}
	if p := r.URL.Path; p != "" && (p == s.LivePath || p == s.ReadyPath) {
		f.health(w, r)
		return
	}
	if s.Shed == nil {
		f.next.ServeHTTP(w, r)
		return
	}
	if k == nil {
		k = new(work)
	}
	priority := 0
	if s.Shed.Priority != nil {
		priority = s.Shed.Priority(r)
	}
	s.Shed.serve(k, priority, f.next, w, r)
}

func (f *front) health(w http.ResponseWriter, r *http.Request) {
	if r.Method != "GET" && r.Method != "HEAD" {
		w.Header().Set("Allow", "GET, HEAD")
		problem.Write(w, r, problem.Code(http.StatusMethodNotAllowed))
		return
	}
	code, text := http.StatusOK, "ok\n"
	if r.URL.Path == f.s.ReadyPath && !f.ready(r) {
		code, text = http.StatusServiceUnavailable, "not ready\n"
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	io.WriteString(w, text)
}

func (f *front) ready(r *http.Request) bool {
	if f.s.draining.Load() {
		return false
	}
	if f.s.Ready == nil {
		return true
	}
	err := f.s.Ready(r.Context())
	if err != nil {
		f.s.logger().Warn("not ready", "error", err)
	}
	return err == nil
}
