package muxmaster_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/steps"
)

// discard is a ResponseWriter that keeps only the header.
type discard http.Header

func (d discard) Header() http.Header         { return http.Header(d) }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteString(s string) (int, error) {
	return len(s), nil
}
func (d discard) WriteHeader(int) {}

// The cost of a registration or response grows at most with the size of its
// input. The statements of package regexp count, too.
func TestSteps(t *testing.T) {
	cases := map[string]steps.Case{
		"405, many methods with an expression": {Small: 20, Prepare: manyMethods("/x/{a:"+costly+"}", "/x/%s")},
		"405, many methods with two":           {Small: 20, Prepare: manyMethods("/x/{a:"+costly+"}/{b:"+costly+"}", "/x/%s/%[1]s")},
		"405, many methods with one in a text": {Small: 20, Prepare: manyMethods("/x/v{a:"+costly+"}.x", "/x/v%s.x")},
		"a host of many labels":                {Grows: true, Small: 250, Prepare: manyLabels},
		"a pattern of many parameters":         {Grows: true, Small: 100, Prepare: manyParameters},
	}
	for name, path := range unclean {
		cases["redirect, "+name] = steps.Case{Grows: true, Small: 1000, Prepare: asked(path)}
	}
	for name, path := range map[string]func(n int) string{
		"not found":        func(n int) string { return "/none" + strings.Repeat("/a", n/2) },
		"not found, long":  func(n int) string { return "/none/" + strings.Repeat("a", n) },
		"found":            func(n int) string { return "/one/" + strings.Repeat("a", n) },
		"rest":             func(n int) string { return "/other/1" + strings.Repeat("/a", n/2) },
		"escaped rest":     func(n int) string { return "/other/1" + strings.Repeat("/a%2Fb", n/6) },
		"dots in the rest": func(n int) string { return "/other/1" + strings.Repeat("/..%2F", n/6) },
	} {
		cases[name] = steps.Case{Grows: true, Small: 1000, Prepare: asked(path)}
	}
	steps.Test(t, ".,./internal/...,regexp", cases)
}

// asked returns a case: requests for a path, with methods that are answered in
// different ways.
func asked(path func(n int) string) func(n int) func() {
	return func(n int) func() {
		m := costMux()
		var requests []*http.Request
		for _, method := range []string{"GET", "POST", "CONNECT"} {
			r, err := readRequest("example.com", method, path(n))
			if err != nil {
				panic(err)
			}
			requests = append(requests, r)
		}
		return func() {
			for _, r := range requests {
				m.ServeHTTP(discard{}, r)
			}
		}
	}
}

// costly is an expression that reads its whole segment, however long it is.
const costly = "[a-z0-9]*[^/]*q"

// manyMethods returns a case: n methods with routes of one pattern, and a
// request that none of them serves. Each expression runs once, not once for
// each method, so that the steps hardly grow with n.
func manyMethods(pattern, target string) func(n int) func() {
	return func(n int) func() {
		m := muxmaster.New()
		for i := range n {
			m.Handle(fmt.Sprintf("M%d %s", i, pattern), tell(""))
		}
		return func() {
			for _, method := range []string{"GET", "BREW", "OPTIONS"} {
				r, err := readRequest("example.com", method, fmt.Sprintf(target, strings.Repeat("a", 4000)+"q"))
				if err != nil {
					panic(err)
				}
				want := http.StatusMethodNotAllowed
				if method == "OPTIONS" {
					want = http.StatusNoContent
				}
				if a := ask(m, r); a.status != want || strings.Count(a.allow, ",") != n {
					panic(fmt.Sprintf("%s %s: %d, Allow: %s", method, pattern, a.status, a.allow))
				}
			}
		}
	}
}

// manyLabels asks for a host of n labels, where many hosts have parameters.
func manyLabels(n int) func() {
	m := muxmaster.New()
	m.Handle("{s...}.example.com/x", tell(""))
	m.Handle("{s...}.a.example.com/x", tell(""))
	m.Handle("{a}.{b}.{c}.example.com/x", tell(""))
	for i := range 100 {
		m.Handle(fmt.Sprintf("{t}.h%d.example.com/x", i), tell(""))
	}
	r, err := readRequest(strings.Repeat("a.", n)+"example.com", "GET", "/x")
	if err != nil {
		panic(err)
	}
	return func() { m.ServeHTTP(discard{}, r) }
}

// manyParameters registers a pattern of n parameters.
func manyParameters(n int) func() {
	var pattern strings.Builder
	for i := range n {
		fmt.Fprintf(&pattern, "/{parameter%d}", i)
	}
	return func() { muxmaster.New().GET(pattern.String(), tell("")) }
}

// unclean returns paths of about n bytes that are redirected.
var unclean = map[string]func(n int) string{
	"slashes":        func(n int) string { return strings.Repeat("/", n) },
	"segments":       func(n int) string { return strings.Repeat("/a", n/2) + "//b" },
	"double slashes": func(n int) string { return strings.Repeat("//a", n/3) },
	"dots":           func(n int) string { return strings.Repeat("/.", n/2) + "/a" },
	"dot dots":       func(n int) string { return strings.Repeat("/..", n/3) },
	"ups and downs":  func(n int) string { return strings.Repeat("/a/..", n/5) + "/b" },
	"down, then up":  func(n int) string { return strings.Repeat("/a", n/5) + strings.Repeat("/..", n/5) },
	"escaped dots":   func(n int) string { return strings.Repeat("/%2e", n/4) + "/b" },
	"escaped slash":  func(n int) string { return strings.Repeat("/a%2Fb", n/6) + "//c" },
	"odd bytes":      func(n int) string { return strings.Repeat("/a|", n/3) + "//%2Fc" },
	"one segment":    func(n int) string { return "//" + strings.Repeat("a", n) },
	"trailing slash": func(n int) string { return "/one/" + strings.Repeat("a", n) + "/" },
	"to the tree":    func(n int) string { return "/tree/" + strings.Repeat("a", n) },
}

func costMux() *muxmaster.Mux {
	m := muxmaster.New()
	m.GET("/one/:a", tell(""))
	m.Handle("/tree/{a}/", tell(""))
	m.GET("/other/:a/*rest", tell(""))
	return m
}

// A redirect allocates memory proportional to the length of its path.
func TestRedirectAllocations(t *testing.T) {
	const n = 60_000
	m := costMux()
	for name, path := range unclean {
		r := request(t, "HEAD", path(n)) // a GET's answer has the path in its body, too
		a := ask(m, r)
		if a.status != 307 {
			t.Fatalf("%s: %s", name, a.brief())
		}
		var before, after runtime.MemStats
		const rounds = 20
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range rounds {
			m.ServeHTTP(discard{}, r)
		}
		runtime.ReadMemStats(&after)
		bytes := float64(after.TotalAlloc-before.TotalAlloc) / rounds / float64(max(len(r.RequestURI), len(a.location)))
		if bytes > 6 {
			t.Errorf("%s: %.1f bytes allocated for each byte of the path", name, bytes)
		}
	}
}
