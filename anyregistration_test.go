package muxmaster_test

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// patternParts are parts of patterns, right and wrong.
var patternParts = []string{
	"GET ", "POST,PUT ", "BREW ", "get ", " ", "\t", "host.com", "{h}.com", "{i...}.org", ":80", "[::1]",
	"/", "/", "/", "/", "//", "a", "b", ".", "..", "{a}", "{b}", "{c:[0-9]+}", "{d:a|b}", "{e...}", "*f", ":g", "{$}",
	"{j:(?i)x}", `{k:\d{2,3}}`, "{l:[^/]+}", "{m:a/b}", "{n:.*}", "{", "}", "%2F", "%2e", "%", "%zz", "%41", "%FF",
	"\x00", "\xff", "é", "\\", "?", "#", "+", "(", ")", "[", "]", "<", ">", "|", "^", "~", "-", "_", ",", ";", "=", "@", "!", "\n", "\r", strings.Repeat("x", 300),
}

// Whatever the text, a registration succeeds or panics with a message of the
// router, and afterwards the Mux serves requests and shows its routes.
func TestAnyRegistration(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		text := func() string {
			var b strings.Builder
			b.WriteString([]string{"", "/", "/", "GET /", "POST host.com/", "{h}.com/"}[rng.IntN(6)])
			for range rng.IntN(7) {
				b.WriteString(patternParts[rng.IntN(len(patternParts))])
			}
			return b.String()
		}
		m, sub := newMux(seed%2 == 0), muxmaster.New()
		var g muxmaster.Router = m
		var log, patterns []string
		try := func(what string, f func()) {
			log = append(log, what)
			if got := panics(f); got != "" && !strings.HasPrefix(got, "muxmaster: ") {
				t.Fatalf("seed %d, %q: panicked with %s", seed, log, got)
			}
		}
		h := http.HandlerFunc(values)
		for range 12 {
			p := text()
			patterns = append(patterns, p)
			switch rng.IntN(9) {
			case 0, 1, 2:
				try("TryHandle "+p, func() {
					if err := g.TryHandle(p, h); err != nil && !strings.HasPrefix(err.Error(), "muxmaster: ") {
						t.Errorf("TryHandle(%q): %v", p, err)
					}
				})
			case 3:
				try("GET "+p, func() { g.GET(p, h) })
			case 4:
				try("POSTFast "+p, func() { g.POSTFast(p, fastValues) })
			case 5:
				try("Group "+p, func() { g = g.Group(p) })
			case 6:
				try("Mount "+p, func() { g.Mount(p, sub) })
				p = text()
				try("Handle on the mounted Mux "+p, func() { sub.Handle(p, h) })
			case 7:
				methods := text()
				try("Method "+methods+" "+p, func() { g.Method(methods, p, h) })
			case 8:
				try("ServeFiles "+p, func() { g.ServeFiles(p, files) })
			}
			if rng.IntN(3) == 0 {
				try("GET /a/1", func() { get(t, m, "GET", "/a/1") })
			}
		}
		for _, p := range patterns {
			_, path, _ := strings.Cut(p, "/")
			r, err := readRequest("host.com", "GET", "/"+strings.NewReplacer("{", "", "}", "", " ", "").Replace(path))
			if err != nil {
				continue
			}
			try(r.URL.String(), func() {
				if l := ask(m, r).location; l != "" && foreign(l) != "" {
					t.Errorf("seed %d, %q: Location %q %s", seed, log, l, foreign(l))
				}
			})
		}
		try("what the routes are shown with", func() {
			for r := range m.Routes() {
				muxmaster.BuildPath(r.Pattern, "a", "1", "b", "2")
				if data, err := json.Marshal(m.Explain("GET", r.Pattern)); err != nil || len(data) == 0 {
					t.Errorf("seed %d, %q: Explain: %v", seed, log, err)
				}
			}
			inspect.Print(io.Discard, m)
			if _, err := inspect.OpenAPI(m, inspect.Document{}); err != nil {
				t.Errorf("seed %d, %q: OpenAPI: %v", seed, log, err)
			}
			page := inspect.HandlerFor(m, netip.MustParsePrefix("192.0.2.0/24"))
			if a := ask(page, httptest.NewRequest("GET", "/routes.json", nil)); a.status != 200 {
				t.Errorf("seed %d, %q: routes.json: %d %s", seed, log, a.status, a.body)
			}
		})
	}
}
