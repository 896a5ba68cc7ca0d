package muxmaster_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

func TestExplain(t *testing.T) {
	tests := []struct{ method, target, want string }{
		{"GET", "/users/7", "> GET /users/:id: serves it"},
		{"GET", "/users/7", `* /users/*rest: matches too, but "GET /users/:id" comes first`},
		{"GET", "/users/7", "POST /users/:id: the method GET is not POST"},
		{"GET", "/users/7", `GET /fast/{id:[0-9]+}: the segment "users" is not fast`},
		{"GET", "/fast/x", `GET /fast/{id:[0-9]+}: the segment "x" is not {id:[0-9]+}`},
		{"GET", "/users/me/", "> GET /users/me/: serves it"},
		{"GET", "/users/me/", "GET /users/:id: the path has a trailing slash"},
		{"PUT", "/fast/1", "405 GET, HEAD, OPTIONS"},
		{"OPTIONS", "/fast/1", "204 GET, HEAD, OPTIONS"},
		{"GET", "/nope", "404"},
		{"GET", "/a//b", "307 /a/b"},
		{"GET", "/x/", `GET example.com/x/: the host "" is not "example.com"`},
		{"GET", "http://EXAMPLE.com/x/y", "> GET example.com/x/: serves it"},
		{"GET", "http://example.com/x", "307 /x/"},
		{"GET", "not a target", "400"},
		{"GET", "*", "400"},
	}
	for _, tt := range tests {
		e := introspected().Explain(tt.method, tt.target)
		var got []string
		switch {
		case e.Location != "":
			got = append(got, "307 "+e.Location)
		case e.Status != 0:
			got = append(got, strings.TrimSpace(http.StatusText(0)+map[int]string{204: "204 ", 400: "400", 404: "404", 405: "405 "}[e.Status]+e.Allow))
		}
		for _, c := range e.Candidates {
			method := c.Method
			if method == "" {
				method = "*"
			}
			line := method + " " + c.Host + c.Pattern + ": " + c.Reason
			if c.Reason == "" {
				line = "> " + line + "serves it"
			}
			got = append(got, line)
		}
		if !slices.Contains(got, tt.want) {
			t.Errorf("Explain(%s, %s): got\n%s\nwithout %q", tt.method, tt.target, strings.Join(got, "\n"), tt.want)
		}
		if text := e.String(); !strings.HasPrefix(text, tt.method+" "+tt.target+": ") {
			t.Errorf("String() = %q", text)
		}
	}
	if got, want := introspected().Explain("GET\n", "/x\r\n\x1b[2J").String(), "GET\uFFFD /x\uFFFD\uFFFD\uFFFD[2J: 400\n"; got != want {
		t.Errorf("String() = %q, want one line, %q", got, want)
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
