package recorder

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// These types are writers with all sets of optional interfaces.
type (
	plain     struct{ http.ResponseWriter }
	flushes   struct{}
	hijacks   struct{}
	readsFrom struct{}
	pushes    struct{}
	notifies  struct{}
	belowF    struct {
		plain
		flushes
	}
	belowH struct {
		plain
		hijacks
	}
	belowR struct {
		plain
		readsFrom
	}
	belowFH struct {
		plain
		flushes
		hijacks
	}
	belowFR struct {
		plain
		flushes
		readsFrom
	}
	belowHR struct {
		plain
		hijacks
		readsFrom
	}
	belowFHR struct {
		plain
		flushes
		hijacks
		readsFrom
	}
	belowFP struct {
		plain
		flushes
		pushes
	}
	belowFN struct {
		belowF
		notifies
	}
	belowFHN struct {
		belowFH
		notifies
	}
	belowFHRN struct {
		belowFHR
		notifies
	}
	belowFPN struct {
		belowFP
		notifies
	}
	belowFPRN struct {
		belowFPN
		readsFrom
	}
	belowUnwrap struct{ plain } // supports Flush only through Unwrap
)

func (flushes) Flush()                                          {}
func (hijacks) Hijack() (net.Conn, *bufio.ReadWriter, error)    { return nil, nil, nil }
func (readsFrom) ReadFrom(src io.Reader) (int64, error)         { return io.Copy(io.Discard, src) }
func (pushes) Push(target string, opts *http.PushOptions) error { return nil }
func (notifies) CloseNotify() <-chan bool                       { return make(chan bool, 3) }
func (b belowUnwrap) Unwrap() http.ResponseWriter               { return b.ResponseWriter }

func offers(w http.ResponseWriter) string {
	var s []string
	if _, ok := w.(http.Flusher); ok {
		s = append(s, "Flusher")
	}
	if _, ok := w.(http.Hijacker); ok {
		s = append(s, "Hijacker")
	}
	if _, ok := w.(io.ReaderFrom); ok {
		s = append(s, "ReaderFrom")
	}
	if _, ok := w.(http.Pusher); ok {
		s = append(s, "Pusher")
	}
	//lint:ignore SA1019 net/http's writers have it
	if n, ok := w.(http.CloseNotifier); ok && cap(n.CloseNotify()) > 0 {
		s = append(s, "CloseNotifier")
	}
	return strings.Join(s, " ")
}

func TestWrapKeepsOptionalInterfaces(t *testing.T) {
	p := plain{httptest.NewRecorder()}
	for _, tt := range []struct {
		below http.ResponseWriter
		want  string
	}{
		{p, ""},
		{belowF{plain: p}, "Flusher"},
		{belowH{plain: p}, "Hijacker"},
		{belowR{plain: p}, "ReaderFrom"},
		{belowFH{plain: p}, "Flusher Hijacker"},
		{belowFR{plain: p}, "Flusher ReaderFrom"},
		{belowHR{plain: p}, "Hijacker ReaderFrom"},
		{belowFHR{plain: p}, "Flusher Hijacker ReaderFrom"},
		{belowFP{plain: p}, "Flusher Pusher"},
		{belowFN{belowF: belowF{plain: p}}, "Flusher CloseNotifier"},
		{belowFHN{belowFH: belowFH{plain: p}}, "Flusher Hijacker CloseNotifier"},
		{belowFHRN{belowFHR: belowFHR{plain: p}}, "Flusher Hijacker ReaderFrom CloseNotifier"},
		{belowFPN{belowFP: belowFP{plain: p}}, "Flusher Pusher CloseNotifier"},
		{belowFPRN{belowFPN: belowFPN{belowFP: belowFP{plain: p}}}, "Flusher ReaderFrom Pusher CloseNotifier"},
		{httptest.NewRecorder(), "Flusher"},
	} {
		w, rec := Wrap(tt.below)
		if got := offers(w); got != tt.want || offers(tt.below) != tt.want {
			t.Errorf("Wrap(%T) offers %q, below %q, want %q", tt.below, got, offers(tt.below), tt.want)
		}
		if rec.Unwrap() != tt.below {
			t.Errorf("Wrap(%T): Unwrap returns %v", tt.below, rec.Unwrap())
		}
		if again, rec2 := Wrap(w); again != w || rec2 != rec {
			t.Errorf("Wrap(%T): wrapped again, want the same", tt.below)
		}
		if f, ok := w.(http.Flusher); ok {
			if f.Flush(); rec.Status() != 200 {
				t.Errorf("%T: status %d after Flush, want 200", tt.below, rec.Status())
			}
		}
		if rf, ok := w.(io.ReaderFrom); ok {
			n, err := rf.ReadFrom(strings.NewReader("12345"))
			if n != 5 || err != nil || rec.Bytes() != 5 || rec.Status() != 200 {
				t.Errorf("%T: ReadFrom: %d, %v, bytes %d, status %d", tt.below, n, err, rec.Bytes(), rec.Status())
			}
		}
		if p, ok := w.(http.Pusher); ok && p.Push("/x", nil) != nil {
			t.Errorf("%T: Push failed", tt.below)
		}
		if h, ok := w.(http.Hijacker); ok {
			if _, _, err := h.Hijack(); err != nil || !rec.Hijacked() || !rec.Started() {
				t.Errorf("%T: Hijack: %v, noted %v", tt.below, err, rec.Hijacked())
			}
		}
	}
}

func TestStatus(t *testing.T) {
	failing := func() io.Reader { return io.MultiReader(errReader{}) }
	for _, tt := range []struct {
		name    string
		do      func(w http.ResponseWriter)
		status  int
		bytes   int64
		started bool
	}{
		{"nothing", func(w http.ResponseWriter) {}, 0, 0, false},
		{"header only", func(w http.ResponseWriter) { w.Header().Set("A", "b") }, 0, 0, false},
		{"status", func(w http.ResponseWriter) { w.WriteHeader(404) }, 404, 0, true},
		{"status 200", func(w http.ResponseWriter) { w.WriteHeader(200) }, 200, 0, true},
		{"first status stays", func(w http.ResponseWriter) { w.WriteHeader(404); w.WriteHeader(500) }, 404, 0, true},
		{"informational", func(w http.ResponseWriter) { w.WriteHeader(103) }, 0, 0, false},
		{"informational, then final", func(w http.ResponseWriter) { w.WriteHeader(103); w.WriteHeader(201) }, 201, 0, true},
		{"switching protocols is final", func(w http.ResponseWriter) { w.WriteHeader(101) }, 101, 0, true},
		{"write", func(w http.ResponseWriter) { w.Write([]byte("abc")) }, 200, 3, true},
		{"write string", func(w http.ResponseWriter) { io.WriteString(w, "abcd") }, 200, 4, true},
		{"status, write, status", func(w http.ResponseWriter) { w.WriteHeader(201); w.Write([]byte("a")); w.WriteHeader(500) }, 201, 1, true},
		{"empty write", func(w http.ResponseWriter) { w.Write(nil) }, 200, 0, true},
		{"flush", func(w http.ResponseWriter) { w.(http.Flusher).Flush() }, 200, 0, true},
		{"flush by controller", func(w http.ResponseWriter) { http.NewResponseController(w).Flush() }, 200, 0, true},
		{"read from", func(w http.ResponseWriter) { w.(io.ReaderFrom).ReadFrom(strings.NewReader("ab")) }, 200, 2, true},
		{"read from nothing", func(w http.ResponseWriter) { w.(io.ReaderFrom).ReadFrom(strings.NewReader("")) }, 0, 0, false},
		{"read from what fails", func(w http.ResponseWriter) { w.(io.ReaderFrom).ReadFrom(failing()); w.WriteHeader(502) }, 502, 0, true},
		{"read from what panics", func(w http.ResponseWriter) { defer func() { recover() }(); w.(io.ReaderFrom).ReadFrom(panicReader{}) }, 0, 0, true},
		{"invalid status", func(w http.ResponseWriter) { defer func() { recover() }(); w.WriteHeader(99) }, 0, 0, false},
	} {
		w, rec := Wrap(belowFHR{plain: plain{httptest.NewRecorder()}})
		tt.do(w)
		if rec.Status() != tt.status || rec.Bytes() != tt.bytes || rec.Started() != tt.started {
			t.Errorf("%s: status %d, bytes %d, started %v; want %d, %d, %v", tt.name, rec.Status(), rec.Bytes(), rec.Started(), tt.status, tt.bytes, tt.started)
		}
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("broken") }

func TestFlushOfAWriterThatOnlyUnwraps(t *testing.T) {
	below := httptest.NewRecorder()
	w, rec := Wrap(belowUnwrap{plain{below}})
	if err := http.NewResponseController(w).Flush(); err != nil || !below.Flushed || rec.Status() != 200 {
		t.Errorf("Flush: %v, flushed %v, status %d; want nil, true, 200", err, below.Flushed, rec.Status())
	}
	w, rec = Wrap(plain{httptest.NewRecorder()})
	if err := http.NewResponseController(w).Flush(); !errors.Is(err, http.ErrNotSupported) || rec.Started() {
		t.Errorf("Flush without a flusher: %v, started %v; want not supported, false", err, rec.Started())
	}
}

func TestNothingIsRecordedAfterHijack(t *testing.T) {
	w, rec := Wrap(belowH{plain: plain{httptest.NewRecorder()}})
	w.(http.Hijacker).Hijack()
	w.Write([]byte("x"))
	if rec.Status() != 0 || !rec.Hijacked() {
		t.Errorf("status %d, hijacked %v; want 0, true", rec.Status(), rec.Hijacked())
	}
}

func TestWrapAllocatesOnce(t *testing.T) {
	below := belowFHR{plain: plain{httptest.NewRecorder()}}
	var w http.ResponseWriter = &below
	if got := testing.AllocsPerRun(100, func() { Wrap(w) }); got != 1 {
		t.Errorf("Wrap: %v allocations, want 1", got)
	}
	wrapped, _ := Wrap(w)
	if got := testing.AllocsPerRun(100, func() { Wrap(wrapped) }); got != 0 {
		t.Errorf("Wrap of a recorder: %v allocations, want 0", got)
	}
}
