package muxmaster_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Whatever patterns http.ServeMux takes together, a Mux takes too, and answers
// requests alike.

var (
	stdSegs    = []refSeg{lit("a"), lit("b"), lit("ab"), lit("longer-than-sixteen-bytes"), {"a%2Fb", []refPart{text("a/b")}}, {"{p#}", []refPart{param}}, {"{p#}", []refPart{param}}}
	stdEndings = []struct {
		written string
		end     int
	}{{"", refExact}, {"/", refAll}, {"/{$}", refSlash}, {"/{rest...}", refAll}}
	stdMethods = []string{"", "", "GET", "POST", "HEAD", "OPTIONS", "CONNECT", "BREW"}
	stdHosts   = []string{"", "", "", "example.com", "other.org"}
)

// holdServeMux compares both routers for one input.
func holdServeMux(t *testing.T, routes, requests []byte) {
	std, mux := http.NewServeMux(), newMux(len(routes)%2 == 1)
	var taken []refRoute
	hosts := false
	c := choices(routes)
	for c.more() && len(taken) < 30 {
		rt := refRoute{method: stdMethods[c.pick(len(stdMethods))], host: stdHosts[c.pick(len(stdHosts))]}
		for range c.pick(4) {
			rt.segs = append(rt.segs, stdSegs[c.pick(len(stdSegs))])
		}
		e := stdEndings[c.pick(len(stdEndings))]
		rt.end, rt.ending = e.end, e.written
		if rt.path() == "" {
			continue
		}
		p := rt.pattern()
		if panics(func() { std.Handle(p, reports(p)) }) != "" {
			continue
		}
		if err := mux.TryHandle(p, reports(p)); err != nil {
			t.Fatalf("%q: http.ServeMux takes it, TryHandle says %v", p, err)
		}
		taken = append(taken, rt)
		hosts = hosts || rt.host != ""
	}
	ref := refMux{routes: taken}
	patterns := fmt.Sprintf("%q", ref.patterns(indexes(len(taken))))
	c = requests
	for c.more() {
		method := refRequestMethods[c.pick(len(refRequestMethods))]
		host := []string{"example.com", "none.net", "example.com:8080"}[c.pick(3)]

		query := []string{"", "?q=/../x"}[c.pick(2)]
		target := c.target(taken)
		r, err := readRequest(host, method, target+query)
		if err != nil || method == "CONNECT" && (hosts || !splitPath(r.URL.EscapedPath()).clean() || ask(std, r).status == 405) {
			continue // for CONNECT, ServeMux asks another host for some of the answers
		}
		if r.URL.RawPath != "" && r.URL.EscapedPath() != r.URL.RawPath {
			continue // ServeMux then drops what came over the wire
		}
		if strings.Contains(strings.ToLower(target), "%2e") || strings.Contains(target, "..%2F") && strings.Contains(patterns, "...}") || slices.Contains(strings.Split(target, "/"), "%2F") {
			continue // ServeMux takes encoded dots for names, a lone %2F for an end, and lets .. behind %2F into a rest
		}
		compareMuxes(t, std, mux, method+" "+host+" "+target+query, patterns)
	}
}

func TestServeMuxRandom(t *testing.T) { randomInputs(t, 600, 80, holdServeMux) }
func FuzzServeMux(f *testing.F)       { fuzzInputs(f, holdServeMux) }
