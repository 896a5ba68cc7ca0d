package muxmaster_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// Segments and values at the limits of what the quick walk takes: more literals
// than a perfect table holds, words that are alike, more values than there is room
// for.
func TestQuickLimits(t *testing.T) {
	crowd := func(prefix string, n int) (patterns []string) {
		for i := range n {
			patterns = append(patterns, fmt.Sprintf("%s/literal%d/{x}", prefix, i))
		}
		return patterns
	}
	eight := "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}"
	cases := []struct {
		patterns []string
		target   string
		want     string // pattern, values
	}{
		{[]string{"/x/abcdefgh1/{id}"}, "/x/abcdefgh1/7", `/x/abcdefgh1/{id} id="7"`},
		{[]string{"/x/abcdefgh1/{id}"}, "/x/abcdefgh9/7", "404"},
		{[]string{"/x/abcdefgh1/{id}"}, "/x/abcdefgh/7", "404"},
		{[]string{"/x/abcdefgh1/{id}", "/x/{y}/{id}"}, "/x/abcdefgh9/7", `/x/{y}/{id} y="abcdefgh9" id="7"`},
		{[]string{"/x/abc/{id}"}, "/x/abc%00/7", "404"},
		{[]string{"/x/a-literal-of-more-than-16/{id}", "/x/{y}/{id}"}, "/x/a-literal-of-more-than-16/7", `/x/a-literal-of-more-than-16/{id} id="7"`},
		{[]string{"/x/a-literal-of-more-than-16/{id}", "/x/{y}/{id}"}, "/x/a-literal-of-MORE-than-16/7", `/x/{y}/{id} y="a-literal-of-MORE-than-16" id="7"`},
		{[]string{"/x/a-literal-of-more-than-16/{id}", "/x/{y}/{id}"}, "/x/short/7", `/x/{y}/{id} y="short" id="7"`},
		{[]string{"/x/a-literal-of-more-than-16/{id}", "/x/{y}/{id}"}, "/x/../7", "307 /7"},
		{append(crowd("/p", 300), "/p/{y}/{x}"), "/p/literal0/7", `/p/literal0/{x} x="7"`},
		{append(crowd("/p", 300), "/p/{y}/{x}"), "/p/literal171/7", `/p/literal171/{x} x="7"`},
		{append(crowd("/p", 300), "/p/{y}/{x}"), "/p/literal299/7", `/p/literal299/{x} x="7"`},
		{append(crowd("/p", 300), "/p/{y}/{x}"), "/p/literal300/7", `/p/{y}/{x} y="literal300" x="7"`},
		{append(crowd("/p", 300), "/p/{y}/{x}"), "/p/../literal5", "307 /literal5"},
		{append(crowd("/p", 300), "/p/{y}/{x}"), "/p//literal5", "307 /p/literal5"},
		{append(crowd("/p", 300), "/p/{y:[a-z]+}/{x}"), "/p/abc/7", `/p/{y:[a-z]+}/{x} y="abc" x="7"`},
		{append(crowd("/p", 300), "/p/*rest"), "/p/abc/7", `/p/*rest rest="/abc/7"`},
		{[]string{eight, eight + "/{i}"}, "/1/2/3/4/5/6/7/8", eight + ` a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8"`},
		{[]string{eight + "/{i}"}, "/1/2/3/4/5/6/7/8/9", eight + `/{i} a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="9"`},
		{[]string{eight + "/*i"}, "/1/2/3/4/5/6/7/8/9", eight + `/*i a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="/9"`},
		{[]string{eight + "/{i:[0-9]}"}, "/1/2/3/4/5/6/7/8/9", eight + `/{i:[0-9]} a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="9"`},
		{append(crowd(eight, 300), eight+"/{i}/{j}"), "/1/2/3/4/5/6/7/8/x/y", eight + `/{i}/{j} a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="x" j="y"`},
		{append(crowd(eight, 300), eight+"/*i"), "/1/2/3/4/5/6/7/8/x/y", eight + `/*i a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="/x/y"`},
		{append(crowd(eight, 300), eight+"/{i:[a-z]}/{j}"), "/1/2/3/4/5/6/7/8/x/y", eight + `/{i:[a-z]}/{j} a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="x" j="y"`},
		{[]string{"/u/{y:[0-9]+}-{m:[0-9]+}/z"}, "/u/2024-05/z", `/u/{y:[0-9]+}-{m:[0-9]+}/z y="2024" m="05"`},
		{[]string{"/u/{y}-{m}/z"}, "/u/a-b/z", `/u/{y}-{m}/z y="a" m="b"`},
		{[]string{"/u/v{x}"}, "/u/v", "404"},
		{[]string{"/u/{x}"}, "/u/..", "307 /"},
		{[]string{"/u/{x}"}, "/u/.", "307 /u"},
		{[]string{"/u/{x}"}, "/u/...", `/u/{x} x="..."`},
		{[]string{"/u/{x}/y"}, "/u/../y", "307 /y"},
		{[]string{"/u/{x}/y"}, "/u/./y", "307 /u/y"},
		{[]string{"/u/{x}/y"}, "/u//y", "307 /u/y"},
		{[]string{"/u/{x}/y"}, "/u/.a/y", `/u/{x}/y x=".a"`},
		{[]string{"/u/{x}/y"}, "/u/a./y", `/u/{x}/y x="a."`},
		{[]string{"/u/.{x}"}, "/u/..", "307 /"},
		{[]string{"/u/.{x}"}, "/u/.a", `/u/.{x} x="a"`},
	}
	for _, pooled := range []bool{false, true} {
		for _, c := range cases {
			m := newMux(pooled)
			for _, p := range c.patterns {
				m.GET(p, func(w http.ResponseWriter, r *http.Request) {
					fmt.Fprint(w, strings.TrimPrefix(r.Pattern, "GET "), " ", format(r, muxmaster.PathParams(r)))
				})
			}
			for range 2 {
				if got := get(t, m, "GET", c.target); got != c.want {
					t.Errorf("pooled %v, %d routes, the last %s: %s: got %s, want %s", pooled, len(c.patterns), c.patterns[len(c.patterns)-1], c.target, got, c.want)
				}
			}
		}
	}
}

// Each of many literals comes before a parameter beside them.
func TestManyLiterals(t *testing.T) {
	m := muxmaster.New()
	m.GET("/p/{y}/{x}", tell("parameter"))
	for i := range 300 {
		m.GET(fmt.Sprintf("/p/%d/{x}", i), tell(fmt.Sprint(i)))
	}
	for i := range 300 {
		if got, want := get(t, m, "GET", fmt.Sprintf("/p/%d/x", i)), fmt.Sprint(i); got != want {
			t.Errorf("/p/%d/x: got %s", i, got)
		}
	}
}

// Middleware of Use that turns a request without a route into one that has a route
// gets a 404, not a 405 with its own method in Allow.
func TestRewrittenBehindRouting(t *testing.T) {
	m := muxmaster.New()
	m.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = "/b/1"
			next.ServeHTTP(w, r)
		})
	})
	m.GET("/b/{id}", tell("b"))
	m.POST("/b/{id}", tell("b"))
	if got, want := get(t, m, "GET", "/a"), "404"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
