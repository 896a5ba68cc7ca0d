package pattern

import (
	"strings"
	"testing"
)

// dump writes what a pattern means: methods, host, segments (literal text quoted),

// how it ends.

// ParsePath differs in the trailing slash, and takes no hosts.

// An error says what is wrong and, where that is known, what to write.

// Patterns of one line have the same shape; those of different lines have not.

func TestShape(t *testing.T) {
	shapes := map[string]int{}
	for i, line := range []string{
		"/x|GET /x|/%78", "/x/|/x/{r...}|/x/*r", "/x/{$}", "/{a}|/:b", "/{a}/", "/{a}/{$}", "/{a:[0-9]+}|/{b:[0-9]+}", "/{a:[0-9]*}",
		"/v{a}|/v:b", "/{a}v", "/{a}.{b}|/{c}.{d}", "/a%2Fb", "/a/b", "/%7Ba%7D", "/%7B%7D", "/%2A", "/%252A", "a.com/x|A.com./x", "b.com/x", "{a}.com/x|{b}.com/x", "{a...}.com/x", "a.com:80/x",
	} {
		for _, text := range strings.Split(line, "|") {
			p, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if k, ok := shapes[p.Shape()]; ok && k != i {
				t.Errorf("%s has the shape %q of line %d", text, p.Shape(), k)
			} else if !ok && text != strings.Split(line, "|")[0] {
				t.Errorf("%s has the shape %q, unlike the line %s", text, p.Shape(), line)
			}
			shapes[p.Shape()] = i
		}
	}
}

func TestStatic(t *testing.T) {
	for text, want := range map[string]string{
		"/x": "/x", "/x/y": "/x/y", "/x/{$}": "/x/", "/{$}": "/", "/%78": "/x", "/a%20b": "/a b", "a.com/x": "/x",
		"/x/": "", "/x/{y}": "", "/x/*y": "", "/a%2Fb": "", "/a//b": "", "/a/./b": "", "/a/..": "", "/v{x}": "",
	} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := p.Static(); got != want || ok != (want != "") {
			t.Errorf("%s: Static() = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestNames(t *testing.T) {
	p, err := Parse("GET {h...}.{i}.com/{a}/x/{b}.{c:[0-9]+}/*rest")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Names(), " "); got != "h i a b c rest" {
		t.Errorf("Names() = %s", got)
	}
	if p, _ := Parse("/x/"); p.Names() != nil {
		t.Errorf("Names() = %q, want none", p.Names())
	}
}

func TestSegmentKind(t *testing.T) {
	for text, want := range map[string]Kind{"a": Literal, "a%2Fb": Literal, "{a}": Plain, ":a": Plain, "{a:x}": Constrained, "a{b}": Mixed, "{a:x}b": Mixed, "a:b": Mixed, "{a}.{b}": Mixed} {
		p, err := Parse("/" + text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Segs[0].Kind(); got != want {
			t.Errorf("%s has the kind %d, want %d", text, got, want)
		}
	}
}

// What is parsed holds together, whatever the text.

// plainSegment only spares text the look for foreign spellings.
