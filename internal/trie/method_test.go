package trie

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

var allMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "QUERY", "OPTIONS", "BREW", "WHEN", "NONE"}

func TestMethodNumbers(t *testing.T) {
	table := tableOf("BREW,WHEN /x", "brew /y")
	seen := map[Method]string{}
	for _, name := range append(allMethods, "brew") {
		m := table.MethodOf(name)
		if other, ok := seen[m]; ok {
			t.Errorf("%s and %s have the number %d", name, other, m)
		}
		seen[m] = name
		want, custom := name, name == "BREW" || name == "WHEN" || name == "brew"
		if name == "NONE" {
			want = ""
		}
		if got := methodName(table, m); got != want || m.Custom() != custom {
			t.Errorf("%s: number %d is %q, custom %v", name, m, got, m.Custom())
		}
	}
	for _, name := range []string{"", "get", "NONE"} {
		if m := table.MethodOf(name); m != Any {
			t.Errorf("Method(%q) = %d, want %d", name, m, Any)
		}
	}
}

// methodName returns the name of a method, or "" for Any.
func methodName(t *Table[int], m Method) string {
	if m != Any && m < firstCustom {
		return pattern.StandardMethods[m-GET]
	}
	for name, code := range t.custom {
		if code == m {
			return name
		}
	}
	return ""
}

// TestMaxCustom checks that a Builder accepts MaxCustom custom methods.
func TestMaxCustom(t *testing.T) {
	var b routes[int]
	for i := range MaxCustom {
		b.register(fmt.Sprintf("M%d /x", i))
	}
	b.register("M0,M242 /y")
	table := b.Build()
	for i := range MaxCustom {
		if got := get(table, fmt.Sprintf("M%d", i), "", "/x"); got != "/x" {
			t.Errorf("M%d: %s", i, got)
		}
	}
	if got, want := get(table, "GET", "", "/y"), "no route, M0, M242, OPTIONS"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := get(table, "GET", "", "/x"); strings.Count(got, ",") != 1+MaxCustom {
		t.Errorf("Allow lists %d methods", strings.Count(got, ","))
	}
}
