package request

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/syntax"
)

// A Response is what responses of HTTP/1.1 and HTTP/2 have in common. Responses
// are always reused. A handler has a writer, which checks whether the response
// still belongs to its request.
type Response struct {
	sync.Mutex               // guards all but gen; held by the writer's methods; see Unlock
	gen        atomic.Uint64 // changes when a response begins and when it ends

	ResponseState // reset for each request

	Sender Sender // always the same

	later []func() // to be called by Unlock

	// Reused storage.
	Fields   []Field
	Trailers []string // names that the handler has declared
}

// Later arranges for f to be called when the response is unlocked. The writer of
// the program's log may itself use the response.
func (r *Response) Later(f func()) { r.later = append(r.later, f) }

// Unlock unlocks the response, and then calls the functions of Later.
func (r *Response) Unlock() {
	for _, f := range r.Release() {
		f()
	}
}

// Release unlocks the response. It returns the functions of Later, for the caller to
// call when it holds no lock.
func (r *Response) Release() []func() {
	later := r.later
	r.later = nil
	r.Mutex.Unlock()
	return later
}

// A ResponseState is the part of a Response that belongs to one request.
type ResponseState struct {
	IsHEAD       bool
	WroteHeader  bool // WriteHeader was called
	CalledHeader bool // Header was called
	Snapshot     bool // Fields is the header as of WriteHeader
	SentHead     bool
	Done         bool // the handler has returned
	Hijacked     bool

	Status  int
	Length  int64 // Content-Length that the handler declared, or -1
	Written int64 // bytes of the body that the handler wrote
}

// Begin begins a response. It returns the generation of its writer. The caller
// has locked the response.
func (r *Response) Begin(isHEAD bool) (gen uint64) {
	r.ResponseState = ResponseState{IsHEAD: isHEAD, Length: -1}
	r.Fields, r.Trailers = r.Fields[:0], r.Trailers[:0]
	return r.gen.Add(1)
}

// ErrLate is the error of a writer's method after the handler has returned.
var ErrLate = errors.New("engine: write after the handler returned")

// CheckCode panics if the status code is invalid, as net/http does.
func CheckCode(code int) {
	if code < 100 || code > 999 {
		panic(fmt.Sprintf("invalid WriteHeader code %v", code))
	}
}

// LogPanic logs the result of recover after a handler, as net/http does.
func LogPanic(logf func(format string, args ...any), protocol, addr string, v any) {
	if v != nil && v != http.ErrAbortHandler {
		buf := make([]byte, 64<<10)
		logf("%s: panic serving %v: %v\n%s", protocol, addr, v, buf[:runtime.Stack(buf, false)])
	}
}

// Invalidate invalidates the handler's writer, when the handler has returned.
func (r *Response) Invalidate() { r.gen.Add(1) }

// Is reports whether the response belongs to the writer with a generation.
func (r *Response) Is(gen uint64) bool { return r.gen.Load() == gen }

// LockFor locks the response if it belongs to the writer with a generation.
// Otherwise it reports false and locks nothing. It then doesn't wait either: the
// response of another request may hold the lock for long.
func (r *Response) LockFor(gen uint64) bool {
	if !r.Is(gen) {
		return false
	}
	r.Lock()
	if r.Is(gen) {
		return true
	}
	r.Unlock()
	return false
}

// Clear drops what belongs to the last request.
func (r *Response) Clear() {
	clear(r.Fields[:cap(r.Fields)])
	clear(r.Trailers[:cap(r.Trailers)])
	r.ResponseState = ResponseState{}
}

// UseHeader is called when the handler gets its header h, which it may change.
func (r *Response) UseHeader(h http.Header) {
	if r.WroteHeader && !r.Snapshot && !r.SentHead {
		r.TakeSnapshot(h)
	}
	r.CalledHeader = true
}

// TakeSnapshot copies the header, because changes after WriteHeader must have no
// effect. It sorts the fields by key, as net/http does.
func (r *Response) TakeSnapshot(h http.Header) {
	r.Snapshot = true
	r.Fields = AppendFields(r.Fields[:0], h)
}

// SetStatus is called when the handler calls WriteHeader with a final status.
func (r *Response) SetStatus(code int, h http.Header) {
	r.WroteHeader, r.Status = true, code
	if r.CalledHeader && !r.Snapshot {
		r.TakeSnapshot(h)
	}
}

// BodyAllowed reports whether the response may have a body.
func (r *Response) BodyAllowed() bool { return BodyAllowed(r.Status) }

// Count counts n bytes of the body. It returns an error if there must not be so
// many.
func (r *Response) Count(n int) error {
	if !r.BodyAllowed() {
		return http.ErrBodyNotAllowed
	}
	if r.Written += int64(n); r.Length != -1 && r.Written > r.Length {
		return http.ErrContentLength
	}
	return nil
}

// WrongLength reports whether the body isn't as long as declared.
func (r *Response) WrongLength() bool {
	return !r.IsHEAD && r.Length != -1 && r.BodyAllowed() && r.Written != r.Length
}

// DeclareTrailers records the names in the Trailer headers (RFC 9110 section
// 6.6.2). It calls invalid for those that must not be trailers.
func (r *Response) DeclareTrailers(invalid func(name string)) {
	for i := range r.Fields {
		if r.Fields[i].Key != "Trailer" {
			continue
		}
		for name := range strings.SplitSeq(r.Fields[i].Value, ",") {
			if name = strings.Trim(name, " \t\r\n"); name != "" {
				r.DeclareTrailer(name, invalid)
			}
		}
	}
}

// DeclareTrailer records a name. It calls invalid if that must not be a trailer.
func (r *Response) DeclareTrailer(name string, invalid func(name string)) {
	name = http.CanonicalHeaderKey(name)
	if syntax.ValidTrailer(name) {
		r.Trailers = append(r.Trailers, name)
	} else {
		invalid(name)
	}
}

// A Summary says what the handler's header contains, as far as it affects the
// rest of the head. Strings are first values.
type Summary struct {
	HasLength, HasConnection, HasType, HasDate, HasTrailers bool

	Closes bool // a Connection field has the option close

	Length           string
	Connection       string
	TransferEncoding string
	ContentEncoding  string
}

// Summary returns a summary of Fields.
func (r *Response) Summary() (sum Summary) {
	for i := range r.Fields {
		f := &r.Fields[i]
		first := i == 0 || r.Fields[i-1].Key != f.Key
		switch f.Key {
		case "Content-Length":
			if sum.HasLength = true; first {
				sum.Length = f.Value
			}
		case "Transfer-Encoding":
			if first {
				sum.TransferEncoding = f.Value
			}
		case "Connection":
			if first {
				sum.HasConnection, sum.Connection = true, f.Value
			}
			sum.Closes = sum.Closes || syntax.HasToken(f.Value, "close")
		case "Content-Type":
			sum.HasType = true
		case "Content-Encoding":
			if first {
				sum.ContentEncoding = f.Value
			}
		case "Date":
			sum.HasDate = true
		case "Trailer":
			sum.HasTrailers = sum.HasTrailers || !f.None
		default:
			if strings.HasPrefix(f.Key, http.TrailerPrefix) {
				sum.HasTrailers = true
			}
		}
	}
	return sum
}
