package routes

import (
	"slices"
	"testing"
)

func TestSetsHaveTheirPublishedSizes(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		routes, static, catchAlls int
	}{
		{"static", 157, 157, 0},
		{"github", 203, 36, 0},
		{"gplus", 13, 2, 0},
		{"parse", 26, 10, 0},
		{"twenty", 20, 10, 2},
		{"param1", 1, 0, 0},
		{"param5", 1, 0, 0},
		{"param20", 1, 0, 0},
	} {
		set := Load(tt.name)
		static, catchAlls := 0, 0
		for _, r := range set {
			if len(r.Names()) == 0 {
				static++
			}
			if r.CatchAll() {
				catchAlls++
			}
		}
		if len(set) != tt.routes || static != tt.static || catchAlls != tt.catchAlls {
			t.Errorf("%s: got %d routes, %d static, %d catch-alls; want %d, %d, %d",
				tt.name, len(set), static, catchAlls, tt.routes, tt.static, tt.catchAlls)
		}
	}
}

func TestRouteForms(t *testing.T) {
	for _, tt := range []struct {
		pattern, translated, path string
		names, values             []string
	}{
		{"/", "/", "/", nil, nil},
		{"/docs/", "/docs/", "/docs/", nil, nil},
		{"/users/:id", "/users/{id}", "/users/7", []string{"id"}, []string{"7"}},
		{"/a/:b/c/:d", "/a/{b}/c/{d}", "/a/1/c/2", []string{"b", "d"}, []string{"1", "2"}},
		{"/f/:b/*rest", "/f/{b}/{rest...}", "/f/1/x/y", []string{"b", "rest"}, []string{"1", "x/y"}},
	} {
		r := Route{"GET", tt.pattern}
		if got := r.Translate("{%s}", "{%s...}"); got != tt.translated {
			t.Errorf("%s: translated to %s, want %s", tt.pattern, got, tt.translated)
		}
		if got := r.Path(tt.values...); got != tt.path {
			t.Errorf("%s: path %s, want %s", tt.pattern, got, tt.path)
		}
		if got := r.Names(); !slices.Equal(got, tt.names) {
			t.Errorf("%s: names %q, want %q", tt.pattern, got, tt.names)
		}
	}
}

func TestScaleIsDeterministicAndWithoutDuplicates(t *testing.T) {
	seen := map[Route]bool{}
	for _, r := range Scale(1003) {
		seen[r] = true
	}
	if len(seen) != 1003 || !slices.Equal(Scale(1003), Scale(1003)) {
		t.Errorf("%d different routes, want 1003, the same twice", len(seen))
	}
}
