package pattern

import (
	"strings"
	"testing"
)

// Patterns of one line have the same shape; those of different lines have not.
func TestShape(t *testing.T) {
	shapes := map[string]int{}
	for i, line := range []string{
		"/x|GET /x|/%78", "/x/|/x/{r...}|/x/*r", "/x/{$}", "/{a}|/:b", "/{a}/", "/{a}/{$}", "/{a:[0-9]+}|/{b:[0-9]+}", "/{a:[0-9]*}",
		"/v{a}|/v:b", "/{a}v", "/{a}.{b}|/{c}.{d}", "/a%2Fb", "/a/b", "/%7Ba%7D", "/%7B%7D", "/%2A", "/%252A", "a.com/x|A.com./x", "b.com/x", "{a}.com/x|{b}.com/x", "{a...}.com/x", "a.com:80/x", "{a}.b.cc/x", "{a}.bc.c/x",
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
	for text, want := range map[string]bool{
		"/x": true, "/x/y": true, "a.com/x": true, "GET /x": true, "/100%": true,
		"/x/{$}": false, "/{$}": false, "/%78": false, "/a%20b": false,
		"/x/": false, "/x/{y}": false, "/x/*y": false, "/a%2Fb": false, "/a//b": false, "/a/./b": false, "/a/..": false, "/v{x}": false,
	} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Static(); got != want {
			t.Errorf("%s: Static() = %v, want %v", text, got, want)
		}
	}
	if p, _ := ParsePath("/x/"); !p.Static() {
		t.Error("the path /x/ is not static")
	}
}
