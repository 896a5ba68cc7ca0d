package muxmaster_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestExplain checks parts of the text, with one space between words.
func TestExplain(t *testing.T) {
	m := introspected()
	for _, tt := range []struct{ method, target, want string }{
		{"GET", "/users/7", "GET /users/7: /users/:id by github.com/seed-1954dcaa/muxmaster_test.serveUsers ("},
		{"GET", "/users/7", "> GET /users/:id serves it"},
		{"GET", "/users/7", `* /users/*rest matches too, but "GET /users/:id" comes first`},
		{"GET", "/users/7", "POST /users/:id the method GET is not POST"},
		{"GET", "/users/7", `GET /fast/{id:[0-9]+} the segment "users" is not fast`},
		{"GET", "/fast/x", `GET /fast/{id:[0-9]+} the segment "x" is not {id:[0-9]+}`},
		{"GET", "/users/me/", "> GET /users/me/ serves it"},
		{"GET", "/users/me/", "GET /users/:id the path has a trailing slash"},
		{"PUT", "/fast/1", "PUT /fast/1: 405, Allow: GET, HEAD, OPTIONS "},
		{"OPTIONS", "/fast/1", "OPTIONS /fast/1: 204, Allow: GET, HEAD, OPTIONS "},
		{"GET", "/nope", "GET /nope: 404 "},
		{"GET", "/a//b", "GET /a//b: 307, to /a/b "},
		{"GET", "/x/", `GET example.com/x/ the host "" is not "example.com"`},
		{"GET", "http://EXAMPLE.com/x/y", "> GET example.com/x/ serves it"},
		{"GET", "http://example.com/x", "GET http://example.com/x: 307, to /x/ "},
		{"GET", "not a target", "GET not a target: 400"},
		{"GET", "*", "GET *: 400"},
		{"GET\n", "/x\r\n\x1b[2J", "GET\uFFFD /x\uFFFD\uFFFD\uFFFD[2J: 400"},
	} {
		e := m.Explain(tt.method, tt.target)
		if got := strings.Join(strings.Fields(e.String()), " "); !strings.Contains(got, tt.want) || (e.Status == 400) != (len(e.Candidates) == 0) {
			t.Errorf("Explain(%q, %q): got\n%v\nwithout %q", tt.method, tt.target, e, tt.want)
		}
	}
}

func TestCandidatesAreSortedByCloseness(t *testing.T) {
	m := muxmaster.New()
	add(m, "GET /|GET /a|GET /a/b/c/d|GET /a/b/:x|GET /a/b/{n:[0-9]+}|POST /a/b/7|GET /z|Handle GET example.com/a/b/7")
	want := []string{"/a/b/{n:[0-9]+}", "/a/b/:x", "/a/b/7", "/a/b/c/d", "/a", "/", "/z", "example.com/a/b/7"}
	var got []string
	for _, c := range m.Explain("GET", "/a/b/7").Candidates {
		got = append(got, c.Host+c.Pattern)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestExplainGroupRoot checks that the reason against the root of a Group, which
// serves the prefix with and without a slash, quotes the path as it was sent.
func TestExplainGroupRoot(t *testing.T) {
	m := muxmaster.New()
	m.Group("/p").GET("/", func(http.ResponseWriter, *http.Request) {})
	for target, want := range map[string]string{
		"/p": "", "/p/": "", "/p/12": "the path goes on with /12", "/p/12/": "the path goes on with /12/", "/q": `the segment "q" is not p`,
	} {
		if got := m.Explain("GET", target).Candidates[0].Reason; got != want {
			t.Errorf("%s: got %q, want %q", target, got, want)
		}
	}
	sub := muxmaster.New()
	add(sub, "GET /|Handle /")
	m.Mount("/sub", sub)
	if got, want := m.Explain("GET", "/sub").Candidates[1].Reason, `matches too, but "GET /sub" comes first`; got != want {
		t.Errorf("Handle / in a mounted Mux: got %q, want %q", got, want)
	}
}
