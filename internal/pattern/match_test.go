package pattern

import (
	"net/url"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
)

// parseSegment parses a pattern's segment.
func parseSegment(t *testing.T, text string) Segment {
	t.Helper()
	p, err := Parse("/" + text)
	if err != nil || len(p.Segs) != 1 {
		t.Fatalf("%q: %v, %v", text, p, err)
	}
	return p.Segs[0]
}

// matchSegment reports whether seg matches the decoded text of a path segment,
// and returns its values.
func matchSegment(seg Segment, text string) (values []string, ok bool) {
	v := Values{Vals: make([]string, len(seg))}
	m := NewMatcher(seg)
	ok = m.Match(text, text, &v)
	return v.Vals[:v.N], ok
}

// TestMatchSegment checks that each value is as short as possible, from left to
// right, if there are several ways to match a segment.
func TestMatchSegment(t *testing.T) {
	for _, c := range []struct {
		segment, text string
		want          string // the values, or "no" if the segment doesn't match
	}{
		{"a", "A", "no"},
		{"a%2Fb", "a/b", ""},
		{"{x}", ".", "no"},
		{"{x}", "...", "..."},
		{"v{x}", "v.", "no"},
		{"{x}v", "vv", "v"},
		{"a{x}a", "aa", "no"},
		{"{x}.{y}", "a.b.c", "a b.c"},
		{"{x}.{y}", "a..b", "a .b"},
		{"{x}--{y}", "a---b", "a -b"},
		{"{x}--{y}", "---b", "- b"},
		{"{x}--{y}", "---", "no"},
		{"{x}--{y}", "----b", "- -b"},
		{"{x}.{y}.{z}", "1.2.3.4", "1 2 3.4"},
		{"{x}.{y}.{z}", "1.....2", "1 ... 2"}, // no value is . or ..
		{"{x}.{y}", "....a", "... a"},
		{"{x}..{y}", "....a", "no"},
		{"{x}..{y}", ".....a", "... a"},
		{"{x}.{y}.{z}", "a.....", "no"},
		{"v{x}-{y}.z", "v1-2.z", "1 2"},
		{"v{x}-{y}.z", "v1-2-3.z", "1 2-3"},
		{"v{x}-{y}.z", "v-1.z", "no"},
		{"{x:[0-9]*}", "", "no"},
		{"{x:..?}", "..", "no"},
		{"v{x:[0-9]+}.json", "v1.json", "1"},
		{"v{x:[0-9]+}.json", "va.json", "no"},
		{"{y:[0-9]+}-{m:[0-9]+}", "2024-05", "2024 05"},
		{"{y:[0-9]+}-{m:[0-9]+}", "2024-", "no"},
		{"{y:[0-9-]+}-{m}", "1-2-3", "1-2 3"}, // an expression matches as much as possible
		{"{y:[0-9-]+?}-{m}", "1-2-3", "1 2-3"},
		{"{a:(x|y)+}{b}", "", "error"},
		{"{a:(x|y)+}-{b:(z)(z)}-{c}", "xy-zz-c", "xy zz c"}, // with their own groups
		{"{a:x|y}-{b}", "y-1", "y 1"},
		{"{a:x|y}-{b}", "xy-1", "no"},
		{"{a:.+}-{b}", ".-1", "no"},
		{"{a:[0-9.]+}.{b}", "1....", "1 ..."}, // not 1.. and .
		{"{a}.{b:[0-9.]+}", "....1", "... 1"},
		{"{a:[0-9]+}-{b}-{c}", "1-..-2-3", "1 ..-2 3"},
		{"{a:[0-9]+}-{b}-{c}", "1-.x-2-3", "1 .x 2-3"},
		{"{a:[0-9]+}-{b}", "1-\n", "1 \n"},
		{"(-{a:.}[-{b}", "(-x[-y", "x y"}, // literal text that is syntax in an expression
		{"{a:[0-9]+}%FF", "1\xff", "1"},
		{"{a}%FF{b}", "1\xff2", "1 2"},
		{"{a}-{b:(?P<n>x)}", "1-x", "1 x"},
	} {
		p, err := Parse("/" + c.segment)
		if err != nil {
			if c.want != "error" {
				t.Errorf("%q: %v", c.segment, err)
			}
			continue
		}
		vals, ok := matchSegment(p.Segs[0], c.text)
		got := strings.Join(vals, " ")
		if !ok {
			got = "no"
		}
		if got != c.want {
			t.Errorf("%q matches %q with %q, want %q", c.segment, c.text, got, c.want)
		}
	}
}

// holdSegments compares all segments with the reference for one text.
func holdSegments(t *testing.T, text string) {
	for _, ref := range trietest.Segments {
		if ref.IsMulti() {
			continue // no single segment
		}
		written := strings.NewReplacer("{p#", "{p", ":p#", ":p", "{q#", "{q", "{r#", "{r").Replace(ref.Written)
		seg := parseSegment(t, written)
		vals, ok := matchSegment(seg, text)
		if ok != ref.Matches(text) || ok && !ref.Holds(text, vals) {
			t.Errorf("%q matches %q: %v, with %q, want %v", written, text, ok, vals, !ok)
		}
		// Without enough room, a matcher doesn't match, and doesn't write elsewhere.
		for n := range vals {
			room := make([]string, len(vals))
			v := Values{Vals: room[:n]}
			if mt := NewMatcher(seg); mt.Match(text, text, &v) || strings.Join(room[n:], "") != "" {
				t.Errorf("%q matches %q with room for %d values, and writes %q", written, text, n, room)
			}
		}
	}
}

func TestSegments(t *testing.T) {
	for _, escaped := range trietest.PathSegments {
		if text, err := url.PathUnescape(escaped); err == nil && text != "" {
			holdSegments(t, text)
		}
	}
}

func FuzzSegments(f *testing.F) {
	for _, text := range []string{"a", "a.b", "a/b", "\xff", "1.2.3", "aab", "a.b.c", "...."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text != "" && len(text) < 40 {
			holdSegments(t, text)
		}
	})
}

func TestPatternMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, path, want string
		matched             int // segments of the pattern
	}{
		{"/a/{x}", "/a/b", "", 2},
		{"/a/{x}", "/a/b%2Fc", "", 2},
		{"/a/{x}", "/a", "the path ends before {x}", 1},
		{"/a/{x}", "/a/", "the path ends before {x}", 1},
		{"/a/{x}", "/a/.", `the segment "." is not {x}`, 1},
		{"/a/{x}", "/a/%2E%2E", `the segment ".." is not {x}`, 1},
		{"/a/{x}/b", "/a//b", `the segment "" is not {x}`, 1},
		{"/a/{x}", "/b/c", `the segment "b" is not a`, 0},
		{"/a/{x}", "/a/b/", "the path has a trailing slash", 2},
		{"/a/{x}", "/a/b/c", "the path goes on with /c", 2},
		{"/a/{x:[0-9]+}", "/a/b", `the segment "b" is not {x:[0-9]+}`, 1},
		{"/a/v{x}.{y}", "/a/v1", `the segment "v1" is not v{x}.{y}`, 1},
		{"/a/{$}", "/a/", "", 1},
		{"/a/{$}", "/a", "the path has no slash at its end", 1},
		{"/a/{$}", "/a/b", "the path goes on with /b", 1},
		{"/a/", "/a/b/c", "", 1},
		{"/a/", "/a", "the path has no slash at its end", 1},
		{"/a/*rest", "/a/b%2F..", "the rest /b%2F.. has a . or .. behind an escaped slash", 1},
		{"/a/", "/a/b%2F..", "the rest /b%2F.. has a . or .. behind an escaped slash", 1},
		{"/a/{x...}/b", "/a/1/2/b", "", 3},
		{"/a/{x...}/b", "/a/1/2/c", "no value of {x...} matches in /1/2/c", 1},
		{"/a/{x...}/b", "/a/b", "no value of {x...} matches in /b", 1},
		{"/a/{x...}/b", "/a/", "the path ends before {x...}", 1},
		{"/a/{x...}/b", "/a/1/b/", "no value of {x...} matches in /1/b/", 1},
		{"/a/{x...}/b", "/a/1%2F../b", "no value of {x...} matches in /1%2F../b", 1},
		{"/a/{x...}/{y}", "/a/1/2", "", 3},
		{"/{x...}/{$}", "/a/b/", "", 1},
		{"/{x...}/{$}", "/a/b", "no value of {x...} matches in /a/b", 0},
		{"/{x...}/b/{y...}", "/a/c/b/d/b", "", 2},
		{"/{x...}/b/{y...}", "/a/c/b", "no value of {x...} matches in /a/c/b", 0},
		{"/{x...}/b/{y...}", "/a/b/c%2F..", "no value of {x...} matches in /a/b/c%2F..", 0},
		{"/{x...}/{y:[0-9]+}/{z...}", "/a/1/b/c", "", 2},
		{"/{x...}/{y:[0-9]+}/{z...}", "/a/b/c", "no value of {x...} matches in /a/b/c", 0},
	} {
		p, err := Parse(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if _, matched, got := p.Match(c.path); got != c.want || matched != c.matched {
			t.Errorf("Match(%q, %q) = %q, %d, want %q, %d", c.pattern, c.path, got, matched, c.want, c.matched)
		}
	}
}
