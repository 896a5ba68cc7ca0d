package muxmaster_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// Whatever patterns http.ServeMux takes together, a Mux takes too, and answers
// requests alike.

var (
	stdSegs = []trietest.Segment{
		trietest.Literal("a"), trietest.Literal("b"), trietest.Literal("ab"), trietest.Literal("longer-than-sixteen-bytes"),
		trietest.NewSegment("a%2Fb", trietest.Text("a/b")),
		trietest.NewSegment("{p#}", trietest.Param), trietest.NewSegment("{p#}", trietest.Param),
	}
	stdEndings = []struct {
		written string
		end     trietest.End
	}{{"", trietest.Exact}, {"/", trietest.All}, {"/{$}", trietest.Slash}, {"/{rest...}", trietest.All}}
	stdMethods = []string{"", "", "GET", "POST", "HEAD", "OPTIONS", "CONNECT", "BREW"}
	stdHosts   = []string{"", "", "", "example.com", "other.org"}
)

// holdServeMux compares both routers for one input.
func holdServeMux(t *testing.T, routes, requests []byte) {
	std, mux := http.NewServeMux(), newMux(len(routes)%2 == 1)
	var taken trietest.Routes
	hosts := false
	c := trietest.Choices(routes)
	for c.More() && len(taken) < 30 {
		rt := trietest.Route{Method: trietest.Of(&c, stdMethods), Host: trietest.Of(&c, stdHosts)}
		for range c.Pick(4) {
			rt.Segs = append(rt.Segs, trietest.Of(&c, stdSegs))
		}
		e := trietest.Of(&c, stdEndings)
		rt.End, rt.Ending = e.end, e.written
		if rt.Path() == "" {
			continue
		}
		p := rt.Pattern()
		if panics(func() { std.Handle(p, reports(p)) }) != "" {
			continue
		}
		if err := mux.TryHandle(p, reports(p)); err != nil {
			t.Fatalf("%q: http.ServeMux takes it, TryHandle says %v", p, err)
		}
		taken = append(taken, rt)
		hosts = hosts || rt.Host != ""
	}
	patterns := fmt.Sprintf("%q", taken.Patterns())
	c = requests
	for c.More() {
		method := trietest.Of(&c, trietest.RequestMethods)
		host := []string{"example.com", "none.net", "example.com:8080"}[c.Pick(3)]

		query := []string{"", "?q=/../x"}[c.Pick(2)]
		target := c.Target(taken)
		r, err := readRequest(host, method, target+query)
		if err != nil || method == "CONNECT" && (hosts || !trietest.SplitPath(r.URL.EscapedPath()).Clean() || ask(std, r).status == 405) {
			continue // for CONNECT, ServeMux asks another host for some of the answers
		}
		if r.URL.RawPath != "" && r.URL.EscapedPath() != r.URL.RawPath {
			continue // ServeMux then drops what came over the wire
		}
		if strings.Contains(strings.ToLower(target), "%2e") || wirepath.DotInside(wirepath.Decode(target)) || slices.Contains(strings.Split(target, "/"), "%2F") {
			continue // ServeMux takes encoded dots for names, a lone %2F for an end, and lets .. behind %2F into the rest
		}
		compareMuxes(t, std, mux, method+" "+host+" "+target+query, patterns)
	}
}

func TestServeMuxRandom(t *testing.T) { trietest.Random(t, 400, 80, holdServeMux) }
func FuzzServeMux(f *testing.F)       { trietest.Fuzz(f, holdServeMux) }
