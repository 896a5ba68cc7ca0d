package engine

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"path"
	"runtime"
	"strings"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A writer is the [http.ResponseWriter] of one request.
type writer struct{ request.Writer }

// setWriter sets the writer of bd. Writers are never reused, not even with
// Recycle, so a retained writer can't write to another request's response. With
// Recycle, setWriter allocates several at a time, because they are small.
func (c *conn) setWriter(bd *bundle, gen uint64) {
	res := &c.work.res
	if !c.server.Recycle {
		bd.first = writer{request.Writer{Response: &res.Response, Conn: c, Gen: gen, Kept: bd.ResponseHeader}}
		bd.w = &bd.first
		return
	}
	if len(c.writers) == 0 {
		c.writers = make([]writer, 8)
	}
	bd.w, c.writers = &c.writers[0], c.writers[1:]
	*bd.w = writer{request.Writer{Response: &res.Response, Conn: c, Gen: gen}}
}

// lock locks the response and returns it. If the handler has returned, lock logs
// the call of method, locks nothing and returns nil.
func (w *writer) lock(method string) *response {
	if w.Lock(method) == nil {
		return nil
	}
	return w.Response.Sender.(*response)
}

var (
	_ http.ResponseWriter = (*writer)(nil)
	_ http.Flusher        = (*writer)(nil)
	_ http.Hijacker       = (*writer)(nil)
	_ http.CloseNotifier  = (*writer)(nil) //lint:ignore SA1019 net/http implements it
	_ io.ReaderFrom       = (*writer)(nil)
	_ io.StringWriter     = (*writer)(nil)
)

// late logs that a method was called after the handler returned.
func (s *Server) late(method string) {
	f := caller()
	s.logf("engine: ResponseWriter.%s was called after the handler returned, by %s (%s:%d); it did nothing", method, f.Function, path.Base(f.File), f.Line)
}

// Late implements a method of [request.Conn].
func (c *conn) Late(method string) { c.server.late(method) }

// caller returns the innermost frame that isn't a method of this package, or a
// function of the packages inside it or of net/http, such as [http.Error].
func caller() (frame runtime.Frame) {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for more := true; more; {
		frame, more = frames.Next()
		if !strings.HasPrefix(frame.Function, packagePath+".(*") && !strings.HasPrefix(frame.Function, packagePath+"/internal/") && !strings.HasPrefix(frame.Function, "net/http.") {
			return frame
		}
	}
	return frame
}

// packagePath is this package's import path.
var packagePath = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name() // path/engine.init.func1 or so
	slash := strings.LastIndexByte(name, '/')
	return name[:slash+1+strings.IndexByte(name[slash+1:], '.')]
}()

// Header returns the handler's header.
func (r *response) Header() http.Header { return r.header }

// WriteHeader implements WriteHeader of [http.ResponseWriter].
func (r *response) WriteHeader(code int) {
	switch {
	case r.Hijacked:
		r.misuse("WriteHeader on hijacked connection")
	case r.WroteHeader:
		f := caller()
		r.logf("http: superfluous response.WriteHeader call from %s (%s:%d)", f.Function, path.Base(f.File), f.Line)
	default:
		request.CheckCode(code)
		r.writeHeader(code)
	}
}

// FlushEarlier writes responses to earlier requests of the connection that wait
// to be written together with this one. Package server calls it.
func (w *writer) FlushEarlier() {
	if r := w.lock("FlushEarlier"); r != nil {
		defer r.Unlock()
		r.flushOut()
	}
}

// logf logs when the response is unlocked.
func (r *response) logf(format string, args ...any) {
	s := r.conn.server
	r.Later(func() { s.logf(format, args...) })
}

// misuse logs the same line as net/http.
func (r *response) misuse(what string) {
	f := caller()
	r.logf("http: response.%s from %s (%s:%d)", what, f.Function, path.Base(f.File), f.Line)
}

// sniffLength is the number of body bytes that determine the Content-Type.
const sniffLength = 512

// ReadFrom implements [io.ReaderFrom]. It uses sendfile or splice if the
// connection and src support it.
func (w *writer) ReadFrom(src io.Reader) (n int64, err error) {
	r := w.lock("ReadFrom")
	if r == nil {
		return 0, request.ErrLate
	}
	rf, ok := r.conn.nc.(io.ReaderFrom)
	sent := r.SentHead
	r.Unlock()
	if !ok {
		return request.Copy(w, src)
	}
	if !sent {
		// Don't write the head before src returns data, and use the first
		// bytes to detect the Content-Type (Go issue 5660).
		n, err = request.Copy(w, io.LimitReader(src, sniffLength))
		if err != nil || n < sniffLength {
			return n, err
		}
	}
	limit, direct := w.sendDirect()
	if !direct {
		m, err := request.Copy(w, src)
		return n + m, err
	}
	m, err := readFromLimited(rf, src, limit)
	if r := w.lock("ReadFrom"); r != nil {
		r.Written += m // err may be src's, so it isn't recorded
		r.Unlock()
	}
	return n + m, err
}

// sendDirect flushes the response and reports whether the body can now be
// written directly to the connection. If limit isn't negative, it is the
// maximum number of bytes.
func (w *writer) sendDirect() (limit int64, direct bool) {
	r := w.lock("ReadFrom")
	if r == nil {
		return 0, false
	}
	defer r.Unlock()
	if r.Flush() != nil || r.chunking || r.IsHEAD || !r.BodyAllowed() {
		return 0, false
	}
	if r.Length < 0 {
		return -1, true
	}
	return max(0, r.Length-r.Written), true // a Write may have exceeded the length
}

// readFromLimited copies from src to rf, up to limit bytes if limit isn't
// negative. If src has more, it returns http.ErrContentLength, as Write does.
func readFromLimited(rf io.ReaderFrom, src io.Reader, limit int64) (int64, error) {
	if limit < 0 {
		return rf.ReadFrom(src)
	}
	lr, ok := src.(*io.LimitedReader)
	if ok && lr.N <= limit {
		return rf.ReadFrom(src)
	}
	// Reduce the limit of src itself: sendfile recognizes only a single
	// LimitedReader around a file.
	if !ok {
		lr = &io.LimitedReader{R: src, N: limit}
	}
	surplus := lr.N - limit
	lr.N = limit
	n, err := rf.ReadFrom(lr)
	lr.N += surplus
	if err == nil && n == limit {
		if !ok {
			lr.N = 1
		}
		if m, _ := lr.Read(make([]byte, 1)); m > 0 {
			err = http.ErrContentLength
		}
	}
	return n, err
}

// SetDeadline implements a method of [request.Conn].
func (c *conn) SetDeadline(w *request.Writer, t time.Time, write bool) error {
	if write {
		return c.deadlines.setByHandler(c, w, flagHandlerWrite, t)
	}
	return c.deadlines.setByHandler(c, w, flagHandlerRead, t)
}

// EnableFullDuplex implements EnableFullDuplex of [http.ResponseController].
func (w *writer) EnableFullDuplex() error {
	r := w.lock("EnableFullDuplex")
	if r == nil {
		return request.ErrLate
	}
	defer r.Unlock()
	r.fullDuplex = true
	return nil
}

// CloseNotify implements [http.CloseNotifier].
func (r *response) CloseNotify() <-chan bool { return r.ctx.CloseNotify() }

// Hijack implements [http.Hijacker]. It returns the connection that the
// listener accepted.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	r := w.lock("Hijack")
	if r == nil {
		panic("engine: Hijack called after the handler returned")
	}
	defer r.Unlock()
	if r.Hijacked {
		return nil, nil, http.ErrHijacked
	}
	r.noContinue(false)
	if r.WroteHeader && !r.SentHead {
		r.sendHead(nil)
	}
	r.flushOut()
	r.Hijacked = true
	nc, rw := r.conn.hijack(r.ctx)
	return nc, rw, nil
}
