package trietest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Choices is a source of choices: fuzzed bytes, followed by zeros.
type Choices []byte

// Pick returns a number less than n.
func (c *Choices) Pick(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := int((*c)[0])
	*c = (*c)[1:]
	return b % n
}

// More reports whether there are bytes left.
func (c *Choices) More() bool { return len(*c) > 0 }

// Of returns an element of the list.
func Of[T any](c *Choices, list []T) T { return list[c.Pick(len(list))] }

// Hosts are hosts of routes. RequestHosts and RequestMethods are those of
// requests.
var (
	Hosts = []string{
		"example.com", "other.org", "a.example.com", "{h}.com", "{h...}.com", "{h}.example.com", "{h...}.example.com",
		"example.{h}", "{h}.{i}.com", "a.{h}.com",
	}
	RequestHosts = []string{
		"example.com", "none.net", "a.example.com", "a.b.example.com", "A.EXAMPLE.com:80", "other.com.", "com", ".com", "a..example.com",
		"..", "com..", "a.b.c.d.com", "a.com.example.com", "x.example.org", "exampleXcom", "example.com:",
	}
	RequestMethods = []string{"GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "BREW", "WHEN"}
)

var methods = []string{"GET", "GET", "", "POST", "HEAD", "PUT", "OPTIONS", "CONNECT", "BREW"}

// A Registration determines whether routes are registered with verb methods or
// Handle.
type Registration int

const (
	VerbMethods Registration = iota
	HandleMethods
	AllMethods
)

// Route returns a route.
func (c *Choices) Route(with Registration) Route {
	rt := Route{Method: Of(c, methods)}
	rt.Verb = with == VerbMethods || with == AllMethods && c.Pick(2) == 0
	if rt.Verb && rt.Method == "BREW" {
		rt.Method = ""
	}
	if !rt.Verb && c.Pick(3) == 1 {
		rt.Host = Of(c, Hosts)
	}
	for range c.Pick(4) {
		if seg := Of(c, Segments); !seg.IsMulti() || !slices.ContainsFunc(rt.Segs, Segment.IsMulti) {
			rt.Segs = append(rt.Segs, seg)
		}
	}
	end := c.Pick(6)
	if n := len(rt.Segs); n > 0 && rt.Segs[n-1].IsMulti() && end%5 == 0 {
		end = 2 // else it would be a catch-all at the end
	}
	if len(rt.Segs) == 0 && end == 0 {
		end = 1
	}
	switch end {
	case 0, 5:
		if len(rt.Segs) == 0 {
			rt.End, rt.Ending = Slash, "/{$}"
		}
	case 1:
		rt.End, rt.Ending = All, "/"
		if rt.Verb {
			rt.End = Slash
		}
	case 2:
		rt.End, rt.Ending = Slash, "/{$}"
	case 3:
		rt.End, rt.Ending, rt.Named, rt.RestSlash = All, "/*rest", true, true
	case 4:
		rt.End, rt.Ending, rt.Named = All, "/{rest...}", true
	}
	return rt
}

// Routes returns up to n routes.
func (c *Choices) Routes(with Registration, n int) (list Routes) {
	for c.More() && len(list) < n {
		list = append(list, c.Route(with))
	}
	return list
}

// Target returns an escaped path, usually similar to that of a route.
func (c *Choices) Target(routes []Route) string {
	var b strings.Builder
	if len(routes) > 0 && c.Pick(4) > 0 {
		for _, seg := range Of(c, routes).Segs {
			fits := seg.Fits(PathSegments)
			if c.Pick(6) == 1 {
				fits = PathSegments
			}
			b.WriteString("/" + Of(c, fits))
			for seg.IsMulti() && c.Pick(3) == 1 {
				b.WriteString("/" + Of(c, fits))
			}
		}
		for range c.Pick(7) / 4 {
			b.WriteString("/" + Of(c, PathSegments))
		}
		if b.Len() == 0 {
			return "/"
		}
	} else {
		for range 1 + c.Pick(5) {
			b.WriteString("/" + Of(c, PathSegments))
		}
	}
	if c.Pick(4) == 1 {
		b.WriteString("/")
	}
	return b.String()
}

// A Property checks something that must be true for all routes and requests.
type Property func(t *testing.T, routes, requests []byte)

// Random calls hold with random choices, for the given number of rounds and
// with up to routeBytes bytes for the routes, until the test fails.
func Random(t *testing.T, rounds, routeBytes int, hold Property) {
	for seed := range uint64(rounds) {
		rng := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
		routes, requests := make([]byte, 4+rng.Uint64()%uint64(routeBytes)), make([]byte, 150)
		rng.Read(routes)
		rng.Read(requests)
		if hold(t, routes, requests); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Fuzz calls hold with fuzzed choices.
func Fuzz(f *testing.F, hold Property) {
	for seed := range byte(20) {
		rng := rand.NewChaCha8([32]byte{2: 1, 3: seed})
		routes, requests := make([]byte, 50), make([]byte, 50)
		rng.Read(routes)
		rng.Read(requests)
		f.Add(routes, requests)
	}
	f.Fuzz(func(t *testing.T, routes, requests []byte) {
		if len(routes) <= 400 && len(requests) <= 400 {
			hold(t, routes, requests)
		}
	})
}
