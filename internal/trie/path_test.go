package trie

import (
	"net/url"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

// TestSetPath checks that an escaped slash never separates segments.
func TestSetPath(t *testing.T) {
	for _, c := range []struct {
		path, raw string
		split     string // the path's segments, in brackets
		rooted    bool
		clean     bool
	}{
		{"/a/b", "", "[a][b]", true, true},
		{"/a b/c", "/a%20b/c", "[a b][c]", true, true},
		{"/a/b", "/a%2Fb", "[a/b]", true, true},
		{"/a/b", "/a%2fb", "[a/b]", true, true},
		{"/a/b/c", "/a%2Fb/c", "[a/b][c]", true, true},
		{"/a//", "/a%2F/", "[a/][]", true, true},
		{"/a/../b", "/a%2F..%2Fb", "[a/../b]", true, true}, // one segment of literal text
		{"/a/../b", "/a%2F../b", "[a/..][b]", true, true},
		{"/a/../b", "/a/..%2Fb", "[a][../b]", true, true},
		{"/a/../b", "/a/%2E%2e/b", "[a][..][b]", true, false},
		{"/\xff/a/b", "/\xff/a%2Fb", "[\xff][a/b]", true, true},
		{"/a\"/b", "/a\"%2Fb", "[a\"/b]", true, true}, // raw is used, although net/http considers it invalid
		// The path was changed, but not raw: the path is used.
		{"/x/b", "/a%2Fb", "[x][b]", true, true},
		{"/a/b", "/a%2Fbc", "[a][b]", true, true},
		{"/a/bc", "/a%2Fb", "[a][bc]", true, true},
		{"/a/b", "/a%2Fb%", "[a][b]", true, true},
		{"/a/b", "/a%2Fb%2", "[a][b]", true, true},
		{"/a/b%zz", "/a%2Fb%zz", "[a][b%zz]", true, true},
		{"/", "", "[]", true, true},
		{"//", "", "[][]", true, false},
		{"/a//b", "", "[a][][b]", true, false},
		{"/a/./b", "", "[a][.][b]", true, false},
		{"/a/..", "", "[a][..]", true, false},
		{"/a/...", "", "[a][...]", true, true},
		{"", "", "[]", false, false},
		{"a/b", "", "[a][b]", false, false},
		{"*", "", "[*]", false, false},
	} {
		var s Search[int]
		s.SetPath(c.path, c.raw, false)
		var split strings.Builder
		rest := strings.TrimPrefix(s.path, "/")
		at := len(s.path) - len(rest)
		for more := true; more; {
			var seg string
			seg, rest, more = strings.Cut(rest, "/")
			split.WriteString("[" + s.source()[at:at+len(seg)] + "]")
			at += len(seg) + 1
		}
		if split.String() != c.split || s.Rooted() != c.rooted || s.Clean() != c.clean {
			t.Errorf("SetPath(%q, %q): %s, rooted %v, clean %v, want %+v", c.path, c.raw, split.String(), s.Rooted(), s.Clean(), c)
		}
		s.SetPath(c.path, c.raw, true)
		if !s.Clean() {
			t.Errorf("SetPath(%q, %q, true): not clean", c.path, c.raw)
		}
	}
}

func TestTrimSlash(t *testing.T) {
	for _, c := range [][4]string{ // path, raw, and the path and text without the slash
		{"/a/", "", "/a", ""},
		{"/a/b/", "/a%2Fb/", "/a\xffb", "/a/b"},
		{"/a//", "/a/%2F", "", ""}, // ends with a slash inside of a segment
		{"/a", "", "", ""},
		{"/", "", "", ""},
		{"", "", "", ""},
	} {
		var long, short Search[int]
		long.SetPath(c[0], c[1], true)
		long.Method = POST
		if ok := short.TrimSlash(&long); ok != (c[2] != "") || short.path != c[2] || short.decoded != c[3] {
			t.Errorf("TrimSlash of %q, %q: %v, %q and %q", c[0], c[1], ok, short.path, short.decoded)
		} else if ok && (short.Method != POST || !short.connect) {
			t.Errorf("TrimSlash of %q: method %d, connect %v", c[0], short.Method, short.connect)
		}
	}
}

func TestWirePath(t *testing.T) {
	for _, c := range [][3]string{
		{"/a b", "", "/a%20b"},
		{"/a/b", "/a%2Fb", "/a%2Fb"},
		{"/a\"b", "/a\"b", "/a\"b"}, // unchanged, although URL.EscapedPath would escape it again
		{"/a/b", "/a%2Fc", "/a/b"},  // raw isn't this path
		{"/é", "", "/%C3%A9"},
	} {
		if got := WirePath(c[0], c[1]); got != c[2] {
			t.Errorf("WirePath(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
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

func TestCleanPath(t *testing.T) {
	for _, c := range [][2]string{
		{"", "/"}, {"/", "/"}, {"//", "/"}, {"a", "/a"}, {"/a", "/a"}, {"/a/", "/a/"}, {"//a", "/a"}, {"/a//b", "/a/b"},
		{"/.", "/"}, {"/a/.", "/a"}, {"/a/./", "/a/"}, {"/a/..", "/"}, {"/a/../", "/"}, {"/..", "/"}, {"/../../a", "/a"}, {"/a/b/../c", "/a/c"},
		{"/%2e", "/"}, {"/a/%2E%2e/b", "/b"}, {"/a/.%2E/b", "/b"}, {"/a/%2e./b", "/b"}, {"/...", "/..."}, {"/%2e%2e%2e", "/%2e%2e%2e"}, {"/.a", "/.a"},
		{"/a%2F..", "/a%2F.."}, {"/a%2F../b/..", "/a%2F.."},
		{`/\evil.com`, "/%5Cevil.com"}, {`//\evil.com`, "/%5Cevil.com"}, {"/\t/evil.com", "/%09/evil.com"}, {"/a\r\nb", "/a%0D%0Ab"},
		{"/a b", "/a%20b"}, {"/é", "/%C3%A9"}, {"/a\"<>^`{|}", "/a%22%3C%3E%5E%60%7B%7C%7D"}, {"/-._~!$&'()*+,;=:@[]", "/-._~!$&'()*+,;=:@[]"},
		{"/a?b", "/a%3Fb"}, {"/a#b", "/a%23b"}, {"/%zz", "/%zz"},
	} {
		if got := CleanPath(c[0]); got != c[1] {
			t.Errorf("CleanPath(%q) = %q, want %q", c[0], got, c[1])
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

// FuzzCleanPath checks that a result of CleanPath is equivalent to the
// reference, is clean, has no host, and doesn't change if it is cleaned again.
// A result of WithQuery must be a URL reference with the same path.
func FuzzCleanPath(f *testing.F) {
	for _, path := range []string{"/a/../b", "//evil.com/..", `/\evil.com`, "/%2e%2e/a", "/a%2F..//", "/a|b//c", "/\x80", "/a//?b#c", "/.."} {
		f.Add(path, "q=1#x\n")
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		path = "/" + path
		got := CleanPath(path)
		if again := CleanPath(got); again != got {
			t.Errorf("CleanPath(%q) = %q, and of that %q", path, got, again)
		}
		if got[0] != '/' || len(got) > 1 && got[1] == '/' {
			t.Fatalf("CleanPath(%q) = %q", path, got)
		}
		if Unclean(Unescape(got)) && !strings.Contains(strings.ToLower(got), "%2f") {
			t.Errorf("CleanPath(%q) = %q, which is not clean", path, got)
		}
		if _, err := url.PathUnescape(path); err == nil {
			if p, want := trietest.SplitPath(got), trietest.SplitPath(trietest.CleanPath(path)); strings.Join(p, "\x00") != strings.Join(want, "\x00") {
				t.Errorf("CleanPath(%q) = %q, which is %q, want %q", path, got, p, want)
			}
			location := WithQuery(got, query)
			u, err := url.Parse(location)
			if err != nil || u.Host != "" || u.Scheme != "" || u.Fragment != "" || WirePath(u.Path, u.RawPath) != got {
				t.Errorf("WithQuery(%q, %q) = %q, which is %#v, %v", got, query, location, u, err)
			}
		}
	})
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{"": "", "/a%2Fb": "/a/b", "/%": "/%", "/%zz%20": "/%zz%20", "/+": "/+", "%FF": "\xff"} {
		if got := Unescape(in); got != want {
			t.Errorf("Unescape(%q) = %q, want %q", in, got, want)
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
