package trie

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/steps"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

var stepCases = map[string]steps.Case{
	"every node fits, none has a route": {Grows: true, Small: 1 << 6, Prepare: func(n int) func() {
		var b routes[int]
		last := "/end"
		for nodes := 1; nodes < n; nodes *= 2 { // a full binary tree of n leaves
			last = "/?" + last
		}
		for i := range n {
			text := last
			for bit := i; strings.Contains(text, "?"); bit /= 2 {
				text = strings.Replace(text, "?", [...]string{"a", fmt.Sprintf("{p%d}", strings.Count(text, "?"))}[bit%2], 1)
			}
			b.register("GET " + text)
		}
		return b.find("GET", strings.Repeat("/a", strings.Count(last, "?"))+"/none")
	}},
	"catch-alls on the way": {Grows: true, Small: 100, Prepare: func(n int) func() {
		var b routes[int]
		for i := range 10 {
			b.register("POST " + strings.Repeat("/a", i) + "/{rest...}")
		}
		return b.find("GET", strings.Repeat("/a", n))
	}},
	"parameters and constraints on every level": {Grows: true, Small: 50, Prepare: func(n int) func() {
		var b routes[int]
		path, literals := "", ""
		for i := range n {
			b.register("GET " + literals + fmt.Sprintf("/{p%d:[a-z]+}/x", i))
			b.register("GET " + literals + fmt.Sprintf("/{p%d}/y", i))
			path, literals = path+"/a", literals+"/a"
		}
		return b.find("GET", path)
	}},
	"a long expression": {Grows: true, Small: 1000, Prepare: func(n int) func() {
		var b routes[int]
		b.register("GET /{a:[a-z]+}/{b:[a-z]*[0-9]}")
		return b.find("GET", "/"+strings.Repeat("a", n)+"/"+strings.Repeat("b", n))
	}},
	"several parameters in a long segment": {Grows: true, Small: 500, Prepare: func(n int) func() {
		var b routes[int]
		b.register("GET /{a}-{b}-{c}.x")
		return b.find("GET", "/"+strings.Repeat("-a", n)+".x")
	}},
	"a catch-all inside": {Grows: true, Small: 200, Prepare: func(n int) func() {
		var b routes[int]
		b.register("GET /{x...}/b")
		return b.find("GET", strings.Repeat("/a", n))
	}},
	"catch-alls inside, and many methods, constraints and ends": {Grows: true, Small: 100, Prepare: func(n int) func() {
		var b routes[int]
		for _, prefix := range []string{"", "/{p}", "/{p:[a-z]+}", "/a", "/a/{p}/a"} {
			for _, end := range []string{"/{y}", "/a/{y:[a-c]+}.{z}", "/{y:(?:a|aa)+}/{z:int}/a", "/a/a/{z...}", "/", "/{y}/a/{$}"} {
				b.register("POST " + prefix + "/{x...}" + end)
			}
		}
		return b.find("GET", strings.Repeat("/a", n))
	}},
	"dots behind catch-alls": {Grows: true, Small: 100, Prepare: func(n int) func() {
		var b routes[int]
		b.register("GET /{x...}/a/{y...}")
		return b.find("GET", strings.Repeat("/a", n)+"/b%2F..")
	}},
	"why a catch-all inside does not match": {Grows: true, Small: 100, Prepare: func(n int) func() {
		var patterns []*pattern.Pattern
		for _, end := range []string{"/{y}/b", "/a/{y:[a-c]+}.{z}", "/{y:(?:a|aa)+}/{z:int}/{r...}", "/a/b/{z...}", "/a/"} {
			p, err := pattern.Parse("/{x...}" + end)
			if err != nil {
				panic(err)
			}
			patterns = append(patterns, p)
		}
		return func() {
			for _, p := range patterns {
				p.Match(strings.Repeat("/a", n) + "/b%2F..")
			}
		}
	}},
	"another case": {Grows: true, Small: 100, Prepare: func(n int) func() {
		var f Folded
		for _, text := range []string{"/A/{x...}/B{y}", "/A/{x...}/{y:[a-z]+}-B-{z:[a-z]+}/{r...}", "/{x...}/C/", "/A/*rest"} {
			p, err := pattern.Parse("GET " + text)
			if err != nil {
				panic(err)
			}
			f.Add(p, "GET")
		}
		f.Build()
		return func() { f.Recase(strings.Repeat("/a%2FA", n)+strings.Repeat("/c", n), "", "GET") }
	}},
	"many methods at a place": {Grows: true, Small: 50, Prepare: func(n int) func() {
		var b routes[int]
		for i := range n {
			b.register(fmt.Sprintf("M%d /x/{a:[0-9]+}", i))
		}
		return b.find("GET", "/x/1")
	}},
	"many hosts with parameters": {Grows: true, Small: 50, Prepare: func(n int) func() {
		var b routes[int]
		for i := range n {
			b.register(fmt.Sprintf("GET {h}.host%d.com/x", i))
		}
		return b.find("GET", "/x")
	}},
	"a literal among many":     {Small: 40, Prepare: func(n int) func() { return siblings(n).find("GET", "/x/literal7/y") }},
	"a parameter among many":   {Small: 40, Prepare: func(n int) func() { return siblings(n).find("GET", "/x/other/y") }},
	"a whole path among many":  {Small: 500, Prepare: func(n int) func() { return statics(n).find("GET", "/static/7/path") }},
	"no whole path among many": {Small: 500, Prepare: func(n int) func() { return statics(n).find("GET", "/static/none/path") }},
	"a query of odd bytes":     {Grows: true, Small: 100, Prepare: func(n int) func() { return func() { wirepath.WithQuery("/", strings.Repeat("#\xff\n", n)) } }},
	"long siblings with equal ends": {Small: 250, Prepare: func(n int) func() {
		return alike(n).find("GET", "/customer-00000007-dashboard/7")
	}},
	"no long sibling with equal ends": {Small: 250, Prepare: func(n int) func() {
		return alike(n).find("GET", "/customer-99999999-dashboard/7")
	}},
	"building": {Grows: true, Small: 100, Prepare: func(n int) func() {
		b := siblings(n)
		for i := range n {
			b.register(digits(i))
			b.register(fmt.Sprintf("GET host%d.com/x", i))
		}
		return func() { b.Build() }
	}},
	"building long siblings": {Grows: true, Small: 100, Prepare: func(n int) func() { return func() { alike(n).Build() } }},
}

// digits returns a route; with these routes, no node has more than ten
// children.
func digits(i int) string {
	return fmt.Sprintf("GET /%d/%d/%d/%d/{x}", i%10, i/10%10, i/100%10, i/1000)
}

// alike returns a Builder with n literals of one length that begin and end
// alike.
func alike(n int) *routes[int] {
	var b routes[int]
	for i := range n {
		b.register(fmt.Sprintf("GET /customer-%08d-dashboard/{id}", i))
	}
	return &b
}

// siblings returns a Builder with a parameter next to n literals.
func siblings(n int) *routes[int] {
	var b routes[int]
	b.register("GET /x/{p}/y")
	for i := range n {
		b.register(fmt.Sprintf("GET /x/literal%d/{p}", i))
	}
	return &b
}

// statics returns a Builder with n routes without parameters.
func statics(n int) *routes[int] {
	var b routes[int]
	for i := range n {
		b.register(fmt.Sprintf("GET /static/%d/path", i))
	}
	return &b
}

// register adds a pattern like Handle.
func (b *routes[P]) register(text string) {
	p, err := pattern.Parse(text)
	if err == nil {
		var payload P
		err = b.add(p, payload, 0)
	}
	if err != nil {
		panic(err)
	}
}

// find returns a function that finds the route for a request and, if there is
// none, does what the router does then.
func (b *routes[P]) find(method, escaped string) (work func()) {
	t := b.Build()
	s := new(Search[P])
	s.Fit(t)
	return func() {
		s.SetPath(wirepath.Decode(escaped), escaped, false)
		s.Method = t.MethodOf(method)
		t.Base.MatchFast(s.path, &Values{Vals: make([]string, t.MaxValues)}, GET)
		if s.Clean && t.Find(s, "a.none.com") == nil {
			t.Allow(s)
		}
	}
}

func TestSteps(t *testing.T) { steps.Test(t, ".,../pattern,../wirepath", stepCases) }
