package wirepath

import (
	"net/url"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

func TestEscaped(t *testing.T) {
	for _, c := range [][3]string{
		{"/a b", "", "/a%20b"},
		{"/a/b", "/a%2Fb", "/a%2Fb"},
		{"/a\"b", "/a\"b", "/a\"b"}, // unchanged, although URL.EscapedPath would escape it again
		{"/a/b", "/a%2Fc", "/a/b"},  // raw isn't this path
		{"/é", "", "/%C3%A9"},
	} {
		if got := Escaped(c[0], c[1]); got != c[2] {
			t.Errorf("Escaped(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestEscapedSlashInTail(t *testing.T) {
	for _, c := range []struct {
		raw  string
		n    int // of the decoded bytes
		want bool
	}{
		{"/x/a/b", 3, false}, {"/x/a%2Fb", 3, true}, {"/x/a%2fb", 3, true}, {"/x%2Fy/a/b", 3, false}, {"/x%2Fy/a%2Fb", 3, true},
		{"/a%2F", 1, true}, {"/a%2Fb", 0, false}, {"/a%2Fb/c", 1, false}, {"/a%252Fb", 3, false},
	} {
		path, err := url.PathUnescape(c.raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := EscapedSlashInTail(path, c.raw, c.n); got != c.want {
			t.Errorf("EscapedSlashInTail(%q, %q, %d) = %v", path, c.raw, c.n, got)
		}
		if EscapedSlashInTail(path+"x", c.raw, c.n) {
			t.Errorf("EscapedSlashInTail(%q, %q) believes a raw path of another one", path+"x", c.raw)
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range [][2]string{
		{"", "/"}, {"/", "/"}, {"//", "/"}, {"a", "/a"}, {"/a", "/a"}, {"/a/", "/a/"}, {"//a", "/a"}, {"/a//b", "/a/b"},
		{"/.", "/"}, {"/a/.", "/a"}, {"/a/./", "/a/"}, {"/a/..", "/"}, {"/a/../", "/"}, {"/..", "/"}, {"/../../a", "/a"}, {"/a/b/../c", "/a/c"},
		{"/%2e", "/"}, {"/a/%2E%2e/b", "/b"}, {"/a/.%2E/b", "/b"}, {"/a/%2e./b", "/b"}, {"/...", "/..."}, {"/%2e%2e%2e", "/%2e%2e%2e"}, {"/.a", "/.a"},
		{"/a%2F..", "/a%2F.."}, {"/a%2F../b/..", "/a%2F.."},
		{`/\evil.com`, "/%5Cevil.com"}, {`//\evil.com`, "/%5Cevil.com"}, {"/\t/evil.com", "/%09/evil.com"}, {"/a\r\nb", "/a%0D%0Ab"},
		{"/a b", "/a%20b"}, {"/é", "/%C3%A9"}, {"/a\"<>^`{|}", "/a%22%3C%3E%5E%60%7B%7C%7D"}, {"/-._~!$&'()*+,;=:@[]", "/-._~!$&'()*+,;=:@[]"},
		{"/a?b", "/a%3Fb"}, {"/a#b", "/a%23b"}, {"/%zz", "/%zz"},
	} {
		if got := Clean(c[0]); got != c[1] {
			t.Errorf("Clean(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

func TestWithQuery(t *testing.T) {
	for _, c := range [][3]string{
		{"/a", "", "/a"}, {"/a", "b=c&d", "/a?b=c&d"}, {"/a", "?", "/a??"}, {"/a", "b=\r\nSet-Cookie: x", "/a?b=Set-Cookie: x"},
		{"/a", "#b", "/a?%23b"}, {"/a", "é", "/a?%C3%A9"}, {"/a", "\x7f\x00", "/a?"},
	} {
		if got := WithQuery(c[0], c[1]); got != c[2] {
			t.Errorf("WithQuery(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// FuzzClean checks that a result of Clean is equivalent to the
// reference, is clean, has no host, and doesn't change if it is cleaned again.
// A result of WithQuery must be a URL reference with the same path.
func FuzzClean(f *testing.F) {
	for _, path := range []string{"/a/../b", "//evil.com/..", `/\evil.com`, "/%2e%2e/a", "/a%2F..//", "/a|b//c", "/\x80", "/a//?b#c", "/.."} {
		f.Add(path, "q=1#x\n")
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		path = "/" + path
		got := Clean(path)
		if again := Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, and of that %q", path, got, again)
		}
		if got[0] != '/' || len(got) > 1 && got[1] == '/' {
			t.Fatalf("Clean(%q) = %q", path, got)
		}
		if Unclean(Decode(got)) && !strings.Contains(strings.ToLower(got), "%2f") {
			t.Errorf("Clean(%q) = %q, which is not clean", path, got)
		}
		if _, err := url.PathUnescape(path); err == nil {
			if p, want := trietest.SplitPath(got), trietest.SplitPath(trietest.CleanPath(path)); strings.Join(p, "\x00") != strings.Join(want, "\x00") {
				t.Errorf("Clean(%q) = %q, which is %q, want %q", path, got, p, want)
			}
			location := WithQuery(got, query)
			u, err := url.Parse(location)
			if err != nil || u.Host != "" || u.Scheme != "" || u.Fragment != "" || Escaped(u.Path, u.RawPath) != got {
				t.Errorf("WithQuery(%q, %q) = %q, which is %#v, %v", got, query, location, u, err)
			}
		}
	})
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{"": "", "/a%2Fb": "/a/b", "/%": "/%", "/%zz%20": "/%zz%20", "/+": "/+", "%FF": "\xff"} {
		if got := Decode(in); got != want {
			t.Errorf("Decode(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDotInside(t *testing.T) {
	for rest, want := range map[string]bool{"": false, ".": true, "..": true, "...": false, "a": false, "a/.": true, "./a": true, "a/../b": true, "a./b": false, ".a": false, "/": false} {
		if got := DotInside(rest); got != want {
			t.Errorf("DotInside(%q) = %v", rest, got)
		}
	}
}
