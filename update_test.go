package muxmaster_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// A gateway replaces all its routes while it serves. No request sees half of
// an Update: a client that has seen one generation of the routes never sees an
// earlier one, whatever route it asks for.
func TestUpdateReplacesAllRoutes(t *testing.T) {
	const routes, generations = 2000, 4
	m := newMux(true)
	register := func(m *muxmaster.Mux, generation int) {
		for i := range routes {
			m.GET(fmt.Sprintf("/service%d/:id", i), func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "%d %s", generation, r.PathValue("id"))
			})
		}
	}
	register(m, 0)
	ask(m, request(t, "GET", "/"))
	var done atomic.Bool
	var clients sync.WaitGroup
	for c := range 2 {
		clients.Go(func() {
			last := 0
			for i := c; !done.Load(); i += 97 {
				w := httptest.NewRecorder()
				m.ServeHTTP(w, httptest.NewRequest("GET", fmt.Sprintf("/service%d/%d", i%routes, i), nil))
				text, id, _ := strings.Cut(w.Body.String(), " ")
				if generation, err := strconv.Atoi(text); err != nil || generation < last || id != strconv.Itoa(i) {
					t.Errorf("request %d: %d %q after generation %d", i, w.Code, w.Body, last)
					return
				} else {
					last = generation
				}
			}
		})
	}
	for generation := 1; generation < generations; generation++ {
		must(m.Update(func(m *muxmaster.Mux) error {
			for r := range m.Routes() {
				if err := m.Remove(r.Method + " " + r.Pattern); err != nil {
					return err
				}
			}
			register(m, generation)
			return nil
		}))
	}
	done.Store(true)
	clients.Wait()
	if got := len(slices.Collect(m.Routes())); got != routes {
		t.Errorf("%d routes, want %d", got, routes)
	}
}

// Requests are served while Update compiles: the middleware that it calls waits
// for one. A route that is registered meanwhile, also on a Mux that it mounts, is there
// afterwards.
func TestUpdateLetsNoRequestWait(t *testing.T) {
	m := muxmaster.New()
	m.GET("/old/:id", tell("old"))
	ask(m, request(t, "GET", "/old/1"))
	compiling, served := make(chan bool), make(chan bool)
	var once sync.Once
	block := func(next http.Handler) http.Handler {
		once.Do(func() { close(compiling); <-served })
		return next
	}
	sub := muxmaster.New()
	sub.GET("/x", tell("new"))
	go func() {
		defer close(served)
		<-compiling
		wants(t, m, exchanges{{"/old/1", "old"}, {"/none", "404"}, {"/old/1/", "307 /old/1"}, {"/new/x", "404"}}, "before Update returns")
		m.GET("/late", tell("late")) // another goroutine registers routes
		sub.GET("/late", tell("late"))
		wants(t, m, exchanges{{"/late", "late"}}, "before Update returns")
	}()
	must(m.Update(func(m *muxmaster.Mux) error {
		g := m.Group("/new")
		g.Use(block)
		g.Mount("/", sub)
		return nil
	}))
	wants(t, m, exchanges{{"/old/1", "old"}, {"/new/x", "new"}, {"/late", "late"}, {"/new/late", "late"}})
}

// Requests are also served while Update compiles many routes, by the Mux and below a
// mount: none takes as long as that.
func TestUpdateOfManyRoutes(t *testing.T) {
	for _, path := range []string{"/1/x", "/mount/1/x"} {
		m, outer := muxmaster.New(), muxmaster.New()
		for i := range 20_000 {
			m.GET(fmt.Sprintf("/%d/:id", i), tell("served"))
		}
		outer.Mount("/mount", m)
		h := http.Handler(m)
		if path != "/1/x" {
			h = outer
		}
		wants(t, h, exchanges{{path, "served"}})
		steady.Try(t, 10*time.Millisecond, func() error {
			var longest time.Duration
			begun, ended := make(chan bool), make(chan bool)
			var clients sync.WaitGroup
			clients.Go(func() {
				<-begun
				for r := request(t, "GET", path); ; {
					start := time.Now()
					ask(h, r)
					longest = max(longest, time.Since(start))
					select {
					case <-ended:
						return
					default:
					}
				}
			})
			var start time.Time
			must(m.Update(func(*muxmaster.Mux) error {
				close(begun)
				start = time.Now()
				return nil
			}))
			took := time.Since(start)
			close(ended)
			if clients.Wait(); longest > took/3 {
				return fmt.Errorf("%s: a request took %v while Update compiled for %v", path, longest, took)
			}
			return nil
		})
	}
}

// An Update that fails in any way changes nothing.
func TestUpdateFails(t *testing.T) {
	failure := errors.New("failure")
	for name, fail := range map[string]func(m, old *muxmaster.Mux) error{
		"error":    func(m, _ *muxmaster.Mux) error { return failure },
		"panic":    func(m, _ *muxmaster.Mux) error { panic("oh") },
		"conflict": func(m, _ *muxmaster.Mux) error { m.GET("/x/{other}", tell("")); return nil },
		"middleware": func(m, old *muxmaster.Mux) error {
			m.With(func(http.Handler) http.Handler { return nil }).Mount("/nil", muxmaster.New())
			return nil
		},
		"circle": func(m, old *muxmaster.Mux) error {
			s := muxmaster.New()
			m.Mount("/s", s)
			s.Mount("/m", old)
			return nil
		},
	} {
		m, outer := muxmaster.New(), muxmaster.New()
		outer.Mount("/in", m)
		m.GET("/x/:id", tell("x"))
		g := m.Group("/g")
		before := exchanges{{"/in/x/1", "x"}, {"/in/new", "404"}, {"/in/g/new", "404"}}
		wants(t, outer, before, name, "before")
		err := error(nil)
		var draft *muxmaster.Mux
		text := panics(func() {
			err = m.Update(func(d *muxmaster.Mux) error {
				draft = d
				d.GET("/new", tell("new"))
				d.NotFound = tell("another 404")
				d.Group("/g").Use(trace("g"))
				must(d.Remove("GET /x/:id"))
				if name == "conflict" {
					d.GET("/x/:id", tell("again"))
				}
				if name != "circle" { // or it would leave the mount on the other side
					defer func() { wants(t, m, exchanges{{"/new", "404"}}, name, "within Update") }()
				}
				return fail(d, m)
			})
		})
		if err == nil && text == "" {
			t.Errorf("%s: no error", name)
		}
		wants(t, outer, before, name, "after")
		if got := get(t, draft, "GET", "/none"); !strings.HasPrefix(got, "404") && got != "another 404" {
			t.Errorf("%s: the Mux that Update passed, afterwards: got %s", name, got)
		}
		g.Use(trace("use")) // no route was registered in it
		wantOutcomes(t, outer, exchanges{{"/in/g/none", "use"}}, name)
		must(m.Update(func(m *muxmaster.Mux) error { m.GET("/new", tell("new")); return nil }))
		wants(t, outer, exchanges{{"/in/new", "new"}}, name, "after the next Update")
	}
}

// Fields, Groups, middleware and mounts of the Mux that Update passes take effect
// together, and stand for the Mux afterwards.
func TestUpdateTakesEffect(t *testing.T) {
	m := muxmaster.New()
	m.Name("root").GET("/", tell("root"))
	ask(m, request(t, "GET", "/"))
	var draft *muxmaster.Mux
	var group *muxmaster.Group
	sub := muxmaster.New()
	must(m.Update(func(d *muxmaster.Mux) error {
		draft, group = d, d.Group("/g")
		d.Pre(trace("pre"))
		d.NotFound = tell("own 404")
		group.Use(trace("g"))
		group.GET("/x", tell("x"))
		d.Mount("/sub", sub)
		sub.GET("/early", tell("early"))
		err := d.Update(func(*muxmaster.Mux) error { t.Error("the inner Update runs"); return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "muxmaster: Update inside another Update; ") {
			t.Errorf("Update of the Mux that it passes: %v", err)
		}
		wants(t, m, exchanges{{"/g/x", "404"}}, "within Update")
		wants(t, d, exchanges{{"/g/x", "pre g x"}, {"/sub/early", "pre early"}}, "within Update, the Mux that it passes")
		return nil
	}))
	group.GET("/late", tell("late"))
	sub.GET("/y", tell("y"))
	draft.GET("/draft", tell("draft"))
	for _, mux := range []*muxmaster.Mux{m, draft} {
		wants(t, mux, exchanges{
			{"/", "pre root"}, {"/g/x", "pre g x"}, {"/g/late", "pre g late"}, {"/sub/y", "pre y"}, {"/draft", "pre draft"}, {"/none", "pre own 404"}, {"/g/none", "pre g own 404"},
		})
	}
	if path, err := m.URL("root"); path != "/" || err != nil {
		t.Errorf("URL: %q, %v", path, err)
	}
}

// If the Mux is changed while the function runs, it runs again. If it changes the
// Mux itself, Update gives up: it doesn't hang.
func TestUpdateRunsAgain(t *testing.T) {
	m, runs := muxmaster.New(), 0
	must(m.Update(func(d *muxmaster.Mux) error {
		d.GET("/x", tell(fmt.Sprint("run ", runs)))
		if runs++; runs == 1 {
			m.GET("/late", tell("late"))
		}
		return nil
	}))
	wants(t, m, exchanges{{"/x", "run 1"}, {"/late", "late"}})
	for name, change := range map[string]func(m *muxmaster.Mux) error{
		"an Update": func(m *muxmaster.Mux) error { return m.Update(func(*muxmaster.Mux) error { return nil }) },
		"a Group":   func(m *muxmaster.Mux) error { m.Group("/g").GET(fmt.Sprint("/", runs), tell("g")); return nil },
		"two Updates": func(m *muxmaster.Mux) error {
			return m.Update(func(*muxmaster.Mux) error { return m.Update(func(*muxmaster.Mux) error { return nil }) })
		},
		"what it added": func(m *muxmaster.Mux) error { m.GET("/z", tell("z")); return m.Remove("GET /z") },
	} {
		err := m.Update(func(d *muxmaster.Mux) error { runs++; d.GET("/y", tell("y")); return change(m) })
		if err == nil || !strings.Contains(err.Error(), "times that the function ran") {
			t.Errorf("%s: %v", name, err)
		}
	}
	wants(t, m, exchanges{{"/y", "404"}})
}

// Updates of a Mux and of the one that it is mounted on, also within each other, and
// Groups, registrations and removals beside them, all succeed and lose nothing.
func TestUpdateConcurrently(t *testing.T) {
	outer, m := muxmaster.New(), muxmaster.New()
	outer.Mount("/m", m)
	ask(outer, request(t, "GET", "/"))
	const updates, others = 100, 8 // in all fewer than 100 changes of m, so that no Update gives up
	for i := range others {
		add(m, fmt.Sprint("GET /gone", i))
	}
	var wg sync.WaitGroup
	all := make(chan bool)
	for i := range updates {
		var once sync.Once
		first, second := m, outer
		if i%2 == 0 {
			first, second = outer, m
		}
		wg.Go(func() {
			if err := first.Update(func(u *muxmaster.Mux) error {
				once.Do(func() {
					all <- true
					u.Explain("GET", "http://h.com/g1/none")
				})
				u.Host("h.com").Group(fmt.Sprint("/g", i%5)).GET(fmt.Sprint("/u", i), tell("u"))
				if i < 10 {
					return second.Update(func(v *muxmaster.Mux) error { _ = v.TryHandle(fmt.Sprint("/inner/", i), tell("x")); return nil })
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	for range updates {
		<-all // they all run now
	}
	for i := range others {
		wg.Go(func() {
			g := m.Host("h.com").Group(fmt.Sprint("/g", i%5))
			g.Use(trace("g"))
			g.GET(fmt.Sprint("/m", i), tell("m"))
			ask(outer, requestTo(t, "h.com", "GET", "/m/g1/m1"))
			must(m.Remove(fmt.Sprint("GET /gone", i)))
		})
	}
	wg.Wait()
	for i := range updates {
		prefix := "/m"
		if i%2 == 0 {
			prefix = ""
		}
		wants(t, outer, exchanges{{fmt.Sprintf("h.com%s/g%d/u%d", prefix, i%5, i), "u"}})
	}
	for i := range others {
		wants(t, outer, exchanges{{fmt.Sprintf("h.com/m/g%d/m%d", i%5, i), "g m"}, {fmt.Sprint("/m/gone", i), "404"}})
	}
}

func TestRemove(t *testing.T) {
	for _, c := range []struct {
		routes, remove, want string // want is part of the error; "" for none
		gone                 string // requests that get no route any more
		stay                 string // those that still do
	}{
		{"GET /x|POST /x", "GET /x", "", "GET /x", "POST /x"},
		{"GET /x/:id", "GET /x/:id", "", "GET /x/1", ""},
		{"GET /x/:id", "GET /x/{id}", `there is no such route; similar: "GET /x/:id"`, "", "GET /x/1"},
		{"GET /x", "/x", `similar: "GET /x"`, "", "GET /x"},
		{"GET /x", "GET /y", "there is no such route", "", "GET /x"},
		{"Handle GET,POST /x", "GET /x", "", "GET /x", "POST /x"},
		{"Handle GET,POST /x", "GET,POST /x", "one at a time", "", "GET /x,POST /x"},
		{"ANY /x/*rest", "/x/*rest", "", "GET /x/y", ""},
		{"Handle example.com/x", "example.com/x", "", "GET /x", ""},
		{"Handle /x/", "/x/", "", "GET /x/y", ""},
		{"GET /x/|GET /x", "GET /x/", "", "GET /x/", "GET /x"},
		{"GET /x/|Handle GET /x/", "GET /x/", `several routes have this text: pattern "GET /x/" (registered at`, "", "GET /x/,GET /x/y"},
		{"GET /x/|Handle GET /x/", "GET /x/{$}", "", "", "GET /x/y"},
		{"GET /users/:id|GET /files/*f", "GET /users/7", `there is no such route; similar: "GET /users/:id"`, "", "GET /users/7"},
		{"GET /x", "GET /{", "is not closed", "", "GET /x"},
		{"ANY /a b/{x}", "/a b/{y}", `there is no such route; similar: "/a b/{x}"`, "", "GET /a%20b/1"},
		{"GET /x", "/a b/{y}", "there is no such route", "", "GET /x"},
		{"GET /x", "", "empty", "", "GET /x"},
	} {
		for _, serving := range []bool{false, true} {
			m := muxmaster.New()
			m.RedirectTrailingSlash = false
			add(m, c.routes)
			if serving {
				get(t, m, "GET", "/x")
			}
			err := m.Remove(c.remove)
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "muxmaster: Remove ")) {
				t.Errorf("%s: Remove(%q): %v, want %q", c.routes, c.remove, err, c.want)
			}
			for list, there := range map[string]bool{c.gone: false, c.stay: true} {
				for _, target := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
					method, path, _ := strings.Cut(target, " ")
					if got := ask(m, requestTo(t, "example.com", method, path)); (got.status == 200) != there {
						t.Errorf("%s, removed %q: %s: status %d", c.routes, c.remove, target, got.status)
					}
				}
			}
		}
	}
}

// Routes of a mounted Mux are removed from that Mux, and the mount by its prefix. The
// root of a Group is one route.
func TestRemoveOfMountedRoutes(t *testing.T) {
	outer, sub := muxmaster.New(), muxmaster.New()
	sub.GET("/x", tell("x"))
	g := sub.Group("/g")
	g.GET("/", tell("root"))
	g.GET("", tell("bare"))
	outer.Mount("/sub", sub)
	outer.Mount("/plain", tell("plain"))
	outer.ANY("/plain", tell("bare"))
	for _, c := range []struct {
		mux        *muxmaster.Mux
		text, want string // want is part of the error; "" for none
	}{
		{outer, "GET /sub/x", `there is no such route; similar: "/sub"`},
		{outer, "/plain/x", `similar: "/plain"`},
		{sub, "GET /g", `which is also "GET /g/{$}"`},
		{sub, "GET /g/{$}", ""},
		{sub, "GET /g", ""},
		{sub, "GET /g", "there is no such route"},
		{sub, "GET /x", ""},
		{outer, "/plain", `which is also "/plain/"`},
		{outer, "/plain/", ""},
		{outer, "/plain", ""},
		{outer, "/sub", ""},
	} {
		if err := c.mux.Remove(c.text); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("Remove(%q): %v, want %q", c.text, err, c.want)
		}
	}
	wants(t, outer, exchanges{{"/sub/x", "404"}, {"/plain", "404"}, {"/plain/x", "404"}})
	for _, m := range []*muxmaster.Mux{outer, sub} {
		for r := range m.Routes() {
			t.Errorf("not removed: %v", r)
		}
	}
}

// A Group or Route whose routes were all removed leaves nothing behind: the routes
// around it serve what is below its prefix, and it is there again when it gets a route
// again. A mount stays while its Mux is empty, and ends when it is removed.
func TestRemoveEndsScopes(t *testing.T) {
	for _, serving := range []bool{false, true} {
		m, sub := muxmaster.New(), muxmaster.New()
		var route *muxmaster.Group
		m.GET("/*rest", tell("page"))
		g := m.Group("/group")
		g.Use(trace("login"))
		g.Group("/in").GET("/x", tell("x"))
		m.Route("/route", func(g *muxmaster.Group) { g.GET("/x", tell("x")); route = g })
		m.Route("/empty", func(g *muxmaster.Group) {})
		sub.GET("/x", tell("x"))
		m.Mount("/sub", sub)
		if serving {
			wants(t, m, exchanges{{"POST /group/y", "login "}, {"/route/y", "404"}, {"/empty/y", "404"}, {"/sub/y", "404"}}, "at first")
		}
		for _, pattern := range []string{"GET /group/in/x", "GET /route/x"} {
			must(m.Remove(pattern))
		}
		must(sub.Remove("GET /x"))
		wants(t, m, exchanges{{"POST /group/y", "405 GET, HEAD, OPTIONS"}, {"/route/y", "page"}, {"/empty/y", "404"}, {"/sub/y", "404"}}, "removed", serving)
		g.GET("/z", tell("z"))
		route.GET("/z", tell("z"))
		wants(t, m, exchanges{{"POST /group/y", "login "}, {"/route/y", "404"}, {"/sub/y", "404"}}, "again", serving)
		must(m.Remove("/sub"))
		sub.GET("/z", tell("z"))
		wants(t, m, exchanges{{"/sub/y", "page"}, {"/sub/z", "page"}}, "the mount is removed", serving)
	}
}

// A program that replaces its Groups in each Update can use the earlier ones again.
func TestUpdateDiscardsGroups(t *testing.T) {
	m, outer := muxmaster.New(), muxmaster.New()
	outer.Mount("/outer", m)
	var kept *muxmaster.Group
	for generation := range 3 {
		must(m.Update(func(m *muxmaster.Mux) error {
			if generation > 0 {
				must(m.Remove("GET /api/x"))
			}
			g := m.Group("/api")
			g.Use(trace(fmt.Sprint(generation)))
			g.GET("/x", tell("x"))
			if generation == 1 {
				kept = g
			}
			return nil
		}))
		wants(t, outer, exchanges{{"/outer/api/x", fmt.Sprint(generation, " x")}, {"/outer/api/y", fmt.Sprint(generation, " ")}})
	}
	kept.GET("/late", tell("late"))
	wants(t, outer, exchanges{{"/outer/api/late", "1 late"}}, "a route of an earlier Group")
	must(m.Remove("GET /api/x"))
	wants(t, outer, exchanges{{"/outer/api/y", "1 "}}, "the earlier Group alone")
}

// A muxSet is some Muxes, which may be mounted on each other, and their Groups by
// number. The first numbers are those of the Muxes.
type muxSet struct {
	muxes  []*muxmaster.Mux
	scopes map[int]muxmaster.Router
}

func newMuxSet(n int) *muxSet {
	s := &muxSet{scopes: map[int]muxmaster.Router{}}
	for i := range n {
		s.muxes = append(s.muxes, muxmaster.New())
		s.scopes[i] = s.muxes[i]
	}
	return s
}

// A change is one call on a Mux or Group of a muxSet.
type change struct {
	text string
	do   func(s *muxSet) error
}

// apply returns the error of the change, also if it panicked with it.
func (c change) apply(s *muxSet) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if text, ok := v.(string); ok && strings.HasPrefix(text, "muxmaster: ") {
				err = errors.New(text)
				return
			}
			panic(v)
		}
	}()
	return c.do(s)
}

var (
	changeMethods  = []string{"GET", "POST", "GET,PUT", "HEAD", "OPTIONS", "BREW"}
	changePaths    = []string{"/", "/a", "/a/", "/:x", "/a/:y", "/{z:[0-9]+}", "/*rest", "/a/*rest", "/A/b", "/{p...}/c", "/{q}.json", "/a/{$}"}
	changePatterns = []string{"/", "/a/", "GET /a/", "GET /a", "h.com/a", "{t}.com/", "POST h.com/:x", "GET /{$}"}
	changePrefixes = []string{"/p", "/a", "/:g", "/p/q", "/P"}
)

// randomChange returns a change of s. What it creates has the given number.
func randomChange(r *rand.Rand, s *muxSet, number int) change {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	scopes := slices.Sorted(maps.Keys(s.scopes))
	at, mux, other := scopes[r.IntN(len(scopes))], r.IntN(len(s.muxes)), r.IntN(len(s.muxes))
	path, pattern, prefix, methods := pick(changePaths), pick(changePatterns), pick(changePrefixes), pick(changeMethods)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, number, " ", r.Pattern, " ", muxmaster.PathParams(r))
	})
	around := wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		fmt.Fprint(w, "<", number, ">")
		next.ServeHTTP(w, r)
	})
	group := func(text string, make func(s muxmaster.Router) *muxmaster.Group) change {
		return change{text, func(s *muxSet) error { s.scopes[number] = make(s.scopes[at]); return nil }}
	}
	call := func(text string, do func(s *muxSet)) change {
		return change{text, func(s *muxSet) error { do(s); return nil }}
	}
	switch r.IntN(20) {
	default:
		return call(fmt.Sprintf("%d.Method(%s %s)", at, methods, path), func(s *muxSet) { s.scopes[at].Method(methods, path, handler) })
	case 6, 7, 8:
		return change{fmt.Sprintf("%d.Handle(%s)", at, pattern), func(s *muxSet) error { return s.scopes[at].TryHandle(pattern, handler) }}
	case 9, 10:
		return group(fmt.Sprintf("%d=%d.Group(%s)", number, at, prefix), func(s muxmaster.Router) *muxmaster.Group { return s.Group(prefix) })
	case 11:
		return group(fmt.Sprintf("%d=%d.Route(%s)", number, at, prefix), func(s muxmaster.Router) (g *muxmaster.Group) {
			s.Route(prefix, func(made *muxmaster.Group) { g = made })
			return g
		})
	case 12:
		return group(fmt.Sprintf("%d=%d.With", number, at), func(s muxmaster.Router) *muxmaster.Group { return s.With(around) })
	case 13:
		name := fmt.Sprint("name", r.IntN(3))
		return group(fmt.Sprintf("%d=%d.Name(%s)", number, at, name), func(s muxmaster.Router) *muxmaster.Group { return s.Name(name) })
	case 14:
		return call(fmt.Sprintf("%d.Use", at), func(s *muxSet) { s.scopes[at].Use(around) })
	case 15:
		return call(fmt.Sprintf("%d.Pre", mux), func(s *muxSet) { s.muxes[mux].Pre(around) })
	case 16, 17:
		return call(fmt.Sprintf("%d.Mount(%s, %d)", at, prefix, other), func(s *muxSet) { s.scopes[at].Mount(prefix, s.muxes[other]) })
	case 18, 19:
		text := "/none"
		for rt := range s.muxes[mux].Routes() {
			if text == "/none" || r.IntN(3) == 0 {
				text = strings.TrimLeft(rt.Method+" ", " ") + rt.Host + rt.Pattern
			}
		}
		return change{fmt.Sprintf("%d.Remove(%s)", mux, text), func(s *muxSet) error { return s.muxes[mux].Remove(text) }}
	}
}

// state lists the routes of the Muxes, with the paths of those with a name.
func (s *muxSet) state() string {
	var b strings.Builder
	for i, m := range s.muxes {
		for rt := range m.Routes() {
			fmt.Fprint(&b, i, rt.Method, " ", rt.Host, rt.Pattern, rt.Below, rt.Scopes)
			if rt.Name != "" {
				path, err := m.URL(rt.Name, "x", "1")
				fmt.Fprint(&b, rt.Name, path, err)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Random changes of Muxes that are mounted on each other, some of them in Updates
// that fail or succeed, with requests and other changes in between, have the same
// result as those that succeeded have on new Muxes. An Update that fails changes
// nothing.
func TestUpdateSequences(t *testing.T) {
	const muxes = 3
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, number := newMuxSet(muxes), muxes
		var done []change
		try := func(s *muxSet) (made []change) {
			c := randomChange(r, s, number)
			number++
			if c.apply(s) == nil {
				made = append(made, c)
			}
			return made
		}
		for range 4 + r.IntN(25) {
			switch r.IntN(6) {
			case 0:
				ask(s.muxes[r.IntN(muxes)], request(t, "GET", "/a/1"))
			case 1, 2:
				i, fails := r.IntN(muxes), r.IntN(4) == 0
				var before string
				var made []change
				within := &muxSet{slices.Clone(s.muxes), map[int]muxmaster.Router{}}
				err := s.muxes[i].Update(func(m *muxmaster.Mux) error {
					within.muxes[i], within.scopes[i] = m, m
					for range r.IntN(6) {
						if c := randomChange(r, within, number); !onOthers(c.text, i) && c.apply(within) == nil {
							made = append(made, c)
						}
						number++
					}
					before = s.state()
					if fails {
						return errors.New("wanted")
					}
					return nil
				})
				if err == nil {
					done = append(done, made...)
					delete(within.scopes, i)
					maps.Copy(s.scopes, within.scopes)
				} else if after := s.state(); after != before {
					t.Fatalf("seed %d: an Update that failed with %v changed\n%sto\n%s", seed, err, before, after)
				}
			default:
				done = append(done, try(s)...)
			}
		}
		compareMuxSets(t, seed, s, done)
	}
}

// onOthers reports whether a change, by its text, is one of another Mux than i
// itself; it would not belong to an Update of i.
func onOthers(text string, i int) bool {
	var mux int
	_, err := fmt.Sscanf(text, "%d.", &mux)
	return err == nil && mux != i && (strings.Contains(text, ".Pre") || strings.Contains(text, ".Remove"))
}

// compareMuxSets compares s with a new muxSet to which the changes are applied.
func compareMuxSets(t *testing.T, seed uint64, s *muxSet, changes []change) {
	t.Helper()
	fresh := newMuxSet(len(s.muxes))
	var texts []string
	for _, c := range changes {
		texts = append(texts, c.text)
		if err := c.apply(fresh); err != nil {
			t.Fatalf("seed %d: %s: %v\n%s", seed, c.text, err, strings.Join(texts, "; "))
		}
	}
	if got, want := s.state(), fresh.state(); got != want {
		t.Fatalf("seed %d: got\n%swant\n%s%s", seed, got, want, strings.Join(texts, "; "))
	}
	for _, prefix := range []string{"", "/p", "/a", "/v", "/p/q", "/P", "/a/p", "/p/a"} {
		for _, path := range []string{"/", "/a", "/a/", "/7", "/z/", "/a/b", "/a/7/c", "/x.json", "/A/b"} {
			for _, method := range []string{"GET", "POST", "OPTIONS"} {
				for _, host := range []string{"example.org", "h.com"} {
					for i := range s.muxes {
						got, want := ask(s.muxes[i], requestTo(t, host, method, prefix+path)), ask(fresh.muxes[i], requestTo(t, host, method, prefix+path))
						if got != want {
							t.Fatalf("seed %d: Mux %d: %s %s%s: got %v, want %v\n%s", seed, i, method, host, prefix+path, got, want, strings.Join(texts, "; "))
						}
					}
				}
			}
		}
	}
}

// TestRemoveOfManyRoutes removes and registers a route among others, whose number
// doesn't matter.
func TestRemoveOfManyRoutes(t *testing.T) {
	allocs := func(n int) float64 {
		m := muxmaster.New()
		for i := range n {
			m.GET(fmt.Sprintf("/%d/:id", i), func(http.ResponseWriter, *http.Request) {})
		}
		return testing.AllocsPerRun(10, func() {
			if err := m.Remove("GET /0/:id"); err != nil {
				t.Error(err)
			}
			m.GET("/0/:id", func(http.ResponseWriter, *http.Request) {})
		})
	}
	if few, many := allocs(10), allocs(2000); many > few+100 {
		t.Errorf("%v allocations among 10 routes, %v among 2000", few, many)
	}
}
