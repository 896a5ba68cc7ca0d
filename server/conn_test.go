package server

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A sink is a connection whose writes exceed the deadline after some bytes, and
// make the pulse advance. Its ReadFrom reads more from the source than it sends.
type sink struct {
	net.Conn
	got   bytes.Buffer
	files int // ReadFrom calls with a file, which would use sendfile
	each  int // bytes until the next timeout
	pulse *pulse
}

func (s *sink) SetReadDeadline(time.Time) error  { return nil }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }

func (s *sink) Write(p []byte) (int, error) {
	n := min(len(p), s.each)
	s.pulse.elapsed.Add(1)
	s.got.Write(p[:n])
	if n < len(p) {
		return n, os.ErrDeadlineExceeded
	}
	return n, nil
}

func (s *sink) ReadFrom(r io.Reader) (int64, error) {
	if lr, ok := r.(*io.LimitedReader); ok {
		if _, ok := lr.R.(*os.File); ok {
			s.files++
		}
	}
	p, _ := io.ReadAll(io.LimitReader(r, int64(s.each)+1000))
	n, err := s.Write(p)
	return int64(n), err
}

// TestWritesContinueAfterTimeouts checks that an interrupted write continues
// where it stopped, as long as enough bytes are transferred, and that files are
// sent with sendfile.
func TestWritesContinueAfterTimeouts(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 4096)
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		each  int
		limit int64 // of an io.LimitedReader around the source; 0: none
		file  bool
		want  int
		err   error
	}{
		{"a stream", 5000, 0, false, len(text), nil},
		{"a stream that stalls", 4000, 0, false, 4000, os.ErrDeadlineExceeded},
		{"a file", 5000, 0, true, len(text), nil},
		{"part of a file", 5000, 20_001, true, 20_001, nil},
		{"more than a file", 5000, 1 << 40, true, len(text), nil},
		{"a file that stalls", 4000, 0, true, 4000, os.ErrDeadlineExceeded},
	} {
		srv := New("", nil)
		srv.StallTimeout = 1 // passes in each write
		l := newListener(nil, srv)
		s := &sink{each: c.each, pulse: l.pulse}
		conn := &conn{Conn: s, l: l}
		conn.setState(http.StateActive)
		var src io.Reader = strings.NewReader(text)
		if c.file {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			src = f
		}
		if c.limit > 0 {
			src = &io.LimitedReader{R: src, N: c.limit}
		}
		n, err := conn.ReadFrom(src)
		if int(n) != c.want || err != c.err || s.got.String() != text[:c.want] {
			t.Errorf("%s: %d, %v, right bytes %v; want %d, %v", c.name, n, err, s.got.String() == text[:min(s.got.Len(), len(text))], c.want, c.err)
		}
		if lr, ok := src.(*io.LimitedReader); ok && lr.N != c.limit-n {
			t.Errorf("%s: %d left of the limit, want %d", c.name, lr.N, c.limit-n)
		}
		if (s.files > 0) != c.file {
			t.Errorf("%s: %d calls with a file", c.name, s.files)
		}
		if c.err != nil {
			if _, err := conn.Write([]byte("x")); err != os.ErrDeadlineExceeded {
				t.Errorf("%s: a write after the stall: %v", c.name, err)
			}
		}
	}
}
