package body_test

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-1954dcaa/muxmaster/body"
)

func collect(r io.Reader, max int) (lines []string, err error) {
	for line, e := range body.Lines(r, max) {
		if e != nil {
			return lines, e
		}
		lines = append(lines, string(line))
	}
	return lines, nil
}

var (
	long4k = strings.Repeat("a", 4096)
	long9k = strings.Repeat("b", 9000)
)

var linesRows = []struct {
	name, in string
	max      int
	want     []string
	status   int
}{
	{"nothing", "", 0, nil, 0},
	{"one line", "a\n", 0, []string{"a"}, 0},
	{"the last line needs no end", "a\nb", 0, []string{"a", "b"}, 0},
	{"empty lines", "\n\na\n\n", 0, []string{"", "", "a", ""}, 0},
	{"CRLF", "a\r\nb\r\n\r\n", 0, []string{"a", "b", ""}, 0},
	{"a lone CR is content", "a\rb\nc\r", 0, []string{"a\rb", "c\r"}, 0},
	{"as long as the buffer", long4k + "\nx\n", 0, []string{long4k, "x"}, 0},
	{"longer than the buffer", long9k + "\nx\n" + long9k + "\r\ny", 0, []string{long9k, "x", long9k, "y"}, 0},
	{"longer, without an end", "x\n" + long9k, 0, []string{"x", long9k}, 0},
	{"at the limit", "abc\nabc\r\nabc", 3, []string{"abc", "abc", "abc"}, 0},
	{"past the limit", "abc\nabcd\nab\n", 3, []string{"abc"}, 413},
	{"past the limit at the end", "abc\nabcd", 3, []string{"abc"}, 413},
	{"a CR past the limit at the end", "abc\r", 3, nil, 413},
	{"two CRs, one past the limit", "abc\r\r\n", 3, nil, 413},
	{"past the limit and the buffer", long9k + "\n", 8999, nil, 413},
	{"at the limit and past the buffer", long9k + "\r\n", 9000, []string{long9k}, 0},
	{"no limit", "abc\nabc", math.MaxInt, []string{"abc", "abc"}, 0},
	{"limit, CR at the buffer's end", long4k[:4095] + "\r\n", 4095, []string{long4k[:4095]}, 0},
}

func TestLines(t *testing.T) {
	for _, c := range linesRows {
		for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
			got, err := collect(r, c.max)
			if !reflect.DeepEqual(got, c.want) || statusOf(err) != c.status {
				t.Errorf("%s: %.60q, %v; want %.60q and status %d", c.name, got, err, c.want, c.status)
			}
		}
	}
}

func TestLinesErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		r      io.Reader
		status int
	}{
		{"broken off", broken("a\nb", io.ErrUnexpectedEOF), 400},
		{"too slow", broken("a\nb", os.ErrDeadlineExceeded), 408},
		{"too large", http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader("a\nbcd\n")), 4), 413},
	} {
		got, err := collect(c.r, 0)
		if len(got) != 1 || got[0] != "a" || statusOf(err) != c.status {
			t.Errorf("%s: %q, %v; want the whole line and status %d", c.name, got, err, c.status)
		}
	}
}

// TestLinesLeftEarly checks that a reader never gets bytes of an earlier one,
// however the earlier loop ended.
func TestLinesLeftEarly(t *testing.T) {
	leave := map[string]func(){
		"break": func() {
			for range body.Lines(strings.NewReader("secret\nsecret\n"), 0) {
				break
			}
		},
		"panic": func() {
			defer func() { recover() }()
			for range body.Lines(strings.NewReader("secret\nsecret\n"), 0) {
				panic("x")
			}
		},
		"a long line": func() { collect(strings.NewReader(long9k+"\nsecret\n"), 5000) },
	}
	for name, f := range leave {
		for range 50 {
			f()
			if got, err := collect(strings.NewReader("a\n"), 0); err != nil || len(got) != 1 || got[0] != "a" {
				t.Fatalf("after %s: %q, %v; want [a]", name, got, err)
			}
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, c := range linesRows {
		f.Add([]byte(c.in), c.max)
	}
	f.Fuzz(func(t *testing.T, in []byte, max int) {
		if max <= 0 || max > 1<<20 {
			max = 64 << 10
		}
		parts := bytes.Split(in, []byte("\n"))
		var want []string
		tooLong := false
		for i, p := range parts {
			last := i == len(parts)-1
			if last && len(p) == 0 {
				break
			}
			if !last {
				p = bytes.TrimSuffix(p, []byte("\r"))
			}
			if len(p) > max {
				tooLong = true
				break
			}
			want = append(want, string(p))
		}
		got, err := collect(iotest.HalfReader(bytes.NewReader(in)), max)
		if !reflect.DeepEqual(got, want) || (err != nil) != tooLong {
			t.Errorf("Lines(%q, %d) = %q, %v; want %q, too long %v", in, max, got, err, want, tooLong)
		}
	})
}
