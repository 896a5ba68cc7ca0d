package body

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPoolKeepsOrdinaryBuffers checks that the pool keeps ordinary buffers and
// drops large ones.
func TestPoolKeepsOrdinaryBuffers(t *testing.T) {
	for _, size := range []int{100, 64 << 10, 10 << 20} {
		WriteJSON(httptest.NewRecorder(), 200, strings.Repeat("a", size))
		r := httptest.NewRequest("POST", "/", struct{ io.Reader }{strings.NewReader(strings.Repeat("a", size))})
		WithBody(httptest.NewRecorder(), r, 20<<20, func([]byte) error { return nil })
		for range 100 {
			b := getBuffer()
			if b.Cap() > maxPooled || b.Len() != 0 {
				t.Fatalf("after a body of %d: a pooled buffer of %d bytes, %d of them in use", size, b.Cap(), b.Len())
			}
			defer putBuffer(b)
		}
	}
	b := new(bytes.Buffer)
	b.Grow(64 << 10)
	b.Grow(128 << 10) // ReadFrom may do this to detect the end of 64 KiB
	if b.Cap() > maxPooled {
		t.Errorf("a buffer that held 64 KiB has grown to %d and would be dropped", b.Cap())
	}
}

// TestReleasedBuffersAreOverwritten checks that retained slices are overwritten
// in programs built with -race.
func TestReleasedBuffersAreOverwritten(t *testing.T) {
	var kept [][]byte
	text := strings.Repeat("secret", 20)
	r := httptest.NewRequest("POST", "/", strings.NewReader(text))
	WithBody(httptest.NewRecorder(), r, 0, func(p []byte) error { kept = append(kept, p); return nil })
	for line := range Lines(strings.NewReader(text+"\n"), 0) {
		kept = append(kept, line)
	}
	for i, p := range kept {
		if rubbish := !bytes.Contains(p, []byte("secret")); rubbish != raceEnabled {
			t.Errorf("retained slice %d: overwritten %v, race detector %v", i, rubbish, raceEnabled)
		}
	}
}

// discard is a ResponseWriter that discards the response.
type discard struct{ h http.Header }

func (d discard) Header() http.Header         { return d.h }
func (d discard) WriteHeader(int)             {}
func (d discard) Write(p []byte) (int, error) { return len(p), nil }

func TestAllocs(t *testing.T) {
	if raceEnabled {
		return // with the race detector, sync.Pool drops values at random
	}
	w := discard{http.Header{}}
	var src struct {
		strings.Reader
		io.Closer
	}
	text := strings.Repeat("line\n", 800)
	req := httptest.NewRequest("POST", "/", nil)
	body := &struct {
		io.Reader
		io.Closer
	}{&src.Reader, io.NopCloser(nil)}
	req.Body, req.ContentLength = body, int64(len(text))
	nothing := func([]byte) error { return nil }
	v := &struct{ A, B string }{"a", "b"}
	for _, c := range []struct {
		name string
		max  float64
		f    func()
	}{
		{"Lines", 0, func() {
			src.Reset(text)
			for range Lines(&src.Reader, 0) {
			}
		}},
		{"WithBody: MaxBytesReader", 1, func() { src.Reset(text); WithBody(w, req, 0, nothing) }},
		{"Copy", 2, func() { src.Reset(text); Copy(w, &src.Reader) }},
	} {
		c.f()
		if got := testing.AllocsPerRun(200, c.f); got > c.max {
			t.Errorf("%s: %v allocs, want at most %v", c.name, got, c.max)
		}
	}
	// The cost of the encoder differs between Go's JSON implementations. The
	// body isn't allocated if the cost doesn't depend on the size.
	small, large := v, &struct{ A, B string }{strings.Repeat("a", 20_000), "b"}
	allocs := func(v any) float64 { return testing.AllocsPerRun(200, func() { WriteJSON(w, 200, v) }) }
	allocs(large)
	if a, b := allocs(small), allocs(large); b > a+1 || b > 8 {
		t.Errorf("WriteJSON: %v allocs for 20 bytes, %v for 20 KB; want the same few", a, b)
	}
}
