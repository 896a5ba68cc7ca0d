package muxmaster_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// A failed registration has no effect, and doesn't use up numbers for custom
// methods.
func TestFailedRegistrationsUseUpNothing(t *testing.T) {
	var list []string
	for i := range 300 {
		list = append(list, fmt.Sprint("M", i))
	}
	m := muxmaster.New()
	m.GET("/taken", tell("taken"))
	if err := m.TryHandle(strings.Join(list, ",")+" /x", tell("")); err == nil {
		t.Fatal("300 custom methods: no error")
	}
	for i := range 300 {
		if err := m.TryHandle(fmt.Sprintf("N%d,GET /taken", i), tell("")); err == nil {
			t.Fatal("a conflict: no error")
		}
	}
	for i := range 200 {
		if err := m.TryHandle(fmt.Sprintf("L%d /x", i), tell("served")); err != nil {
			t.Fatalf("custom method %d after failures: %v", i, err)
		}
		if i%50 == 0 {
			get(t, m, "GET", "/")
		}
	}
	wants(t, m, exchanges{{"L0 /x", "served"}, {"L199 /x", "served"}})
}

// Inspecting routes before the first request doesn't freeze the fields.
func TestIntrospectionLeavesTheFieldsOpen(t *testing.T) {
	for name, look := range map[string]func(m *muxmaster.Mux){
		"Print":   func(m *muxmaster.Mux) { inspect.Print(io.Discard, m) },
		"Explain": func(m *muxmaster.Mux) { _ = m.Explain("GET", "/none").String() },
		"Handler": func(m *muxmaster.Mux) { m.Handler(request(t, "GET", "/none")) },
	} {
		m, sub := muxmaster.New(), muxmaster.New()
		add(m, "GET /x/:id")
		m.Mount("/sub", sub)
		g := m.Group("/g")
		look(m)
		m.NotFound, m.MethodNotAllowed, m.RedirectTrailingSlash = tell("404 set"), tell("405 set"), false
		sub.NotFound, g.NotFound = tell("sub 404 set"), tell("group 404 set")
		wants(t, m, exchanges{{"/none", "404 set"}, {"PUT /x/1", "405 set"}, {"/x/1/", "404 set"}, {"/sub/x", "sub 404 set"}, {"/g/x", "group 404 set"}}, name)
	}
}

// Groups and middleware added after the first request apply to later routes.
func TestGroupsMadeWhileServing(t *testing.T) {
	m, sub := tagged("m"), tagged("s")
	add(m, "GET /x")
	wantOutcomes(t, m, exchanges{{"/g/none", "m m 404"}})
	g := m.Group("/g")
	wantOutcomes(t, m, exchanges{{"/g/none", "m m 404"}})
	g.Use(trace("g"))
	wantOutcomes(t, m, exchanges{{"/g/none", "m g m 404"}})
	in := g.Group("/in")
	in.Use(trace("in"))
	add(in, "GET /x")
	wantOutcomes(t, m, exchanges{{"/g/in/x", "m g in GET /x"}, {"/g/in/none", "m g in m 404"}, {"PUT /g/in/x", "m g in m 405 GET, HEAD, OPTIONS"}, {"/g/none", "m g m 404"}})
	m.Mount("/s", sub)
	wantOutcomes(t, m, exchanges{{"/s/none", "m s s 404"}})
	sg := sub.Group("/g")
	sg.Use(trace("sg"))
	wantOutcomes(t, m, exchanges{{"/s/g/none", "m s sg s 404"}})
}

// Middleware that Use adds while a route is being wrapped never misses it: the
// middleware wraps the route, the registration is refused, or Use is.
func TestUseBesideARegistration(t *testing.T) {
	for name, register := range map[string]func(g *muxmaster.Group){
		"route":                  func(g *muxmaster.Group) { g.GET("/x", tell("x")) },
		"route of a Group":       func(g *muxmaster.Group) { g.Group("/x").GET("/", tell("x")) },
		"mount":                  func(g *muxmaster.Group) { g.Mount("/x", tell("x")) },
		"mount of a Mux":         func(g *muxmaster.Group) { s := muxmaster.New(); s.GET("/", tell("x")); g.Mount("/x", s) },
		"route of a mounted one": func(g *muxmaster.Group) { s := muxmaster.New(); g.Mount("/x", s); s.GET("/", tell("x")) },
	} {
		m := muxmaster.New()
		g := m.Group("/g")
		wrapping, used := make(chan bool), make(chan bool)
		var once sync.Once
		m.Use(func(next http.Handler) http.Handler {
			once.Do(func() { close(wrapping); <-used })
			return next
		})
		var text string
		go func() {
			defer close(used)
			<-wrapping
			text = panics(func() { g.Use(trace("late")) })
		}()
		refused := panics(func() { register(g) })
		var got string
		if refused == "" {
			got = get(t, m, "GET", "/g/x") // compiles, which calls the middleware of m at the latest
		}
		<-used
		if text == "" && got != "late x" && !strings.Contains(refused, "middleware was added to its scope while it was registered") {
			t.Errorf("%s: got %q, the registration panicked with %q", name, got, refused)
		}
	}
}

// Concurrent registrations lose no routes.
func TestRegisterConcurrently(t *testing.T) {
	m := muxmaster.New()
	var wg sync.WaitGroup
	var conflicts atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				m.GET(fmt.Sprintf("/g%d/%d/:id", g, i), values)
				if m.TryHandle(fmt.Sprintf("/same/%d", i), http.HandlerFunc(values)) != nil {
					conflicts.Add(1)
				}
			}
		})
	}
	wg.Wait()
	for g := range 8 {
		for i := range 50 {
			if got := get(t, m, "GET", fmt.Sprintf("/g%d/%d/x", g, i)); got != `id="x"` {
				t.Fatalf("/g%d/%d/x: got %s", g, i, got)
			}
		}
	}
	if n := conflicts.Load(); n != 7*50 {
		t.Errorf("%d conflicts, want %d", n, 7*50)
	}
}

// A handler can register a route and use it.
func TestRegisterInAHandler(t *testing.T) {
	m := muxmaster.New()
	m.GET("/add/:name", func(w http.ResponseWriter, r *http.Request) {
		m.GET("/added/"+r.PathValue("name"), values)
		m.ServeHTTP(w, httptest.NewRequest("GET", "/added/"+r.PathValue("name"), nil))
		fmt.Fprint(w, r.PathValue("name"))
	})
	wants(t, m, exchanges{{"/add/x", "x"}, {"/added/x", ""}})
}

// Groups and mounted Muxes with middleware can be added while requests are
// served and routes are inspected. Each registration changes the responses at
// once, and for good.
func TestGroupsWhileServing(t *testing.T) {
	m := muxmaster.New()
	m.Use(trace("m"))
	page := inspect.HandlerFor(m, netip.MustParsePrefix("192.0.2.0/24"))
	targets := []struct {
		target    string
		responses []string // in the order of the registrations
	}{
		{"/none", []string{"m "}},
		{"/g1/none", []string{"m ", "m g "}},
		{"/g2/x/1", []string{"m ", "m g ", `m g id="1"`}},
		{"/m3/x", []string{"m ", "m s ", "m s x"}},
		{"/m3/none", []string{"m ", "m s "}},
		{"//x", []string{"m "}},
	}
	var done atomic.Bool
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			seen := make([]int, len(targets)) // the latest response to each target
			for i, after := w, 0; after <= len(targets); i++ {
				if done.Load() {
					after++
				}
				k := i % len(targets)
				c := targets[k]
				r := httptest.NewRequest("GET", c.target, nil)
				got := ask(m, r).body
				n := slices.Index(c.responses, got)
				if last := len(c.responses) - 1; n < seen[k] || after > 0 && n != last {
					t.Errorf("%s: got %q after %q; in the end %q", c.target, got, c.responses[seen[k]], c.responses[last])
					return
				}
				seen[k] = n
				switch i % 5 {
				case 0:
					m.Explain("GET", r.URL.Path)
				case 1:
					inspect.Print(io.Discard, m)
				case 2:
					m.Handler(r)
				case 3:
					if a := ask(page, httptest.NewRequest("GET", "/routes.json", nil)); a.status != 200 {
						t.Errorf("routes.json: %s", a.brief())
					}
				case 4:
					inspect.OpenAPI(m, inspect.Document{})
				}
			}
		})
	}
	for i := range 100 {
		g := m.Group(fmt.Sprintf("/g%d", i))
		g.Use(trace("g"))
		g.GET("/x/:id", values)
		sub := muxmaster.New()
		m.Mount(fmt.Sprintf("/m%d", i), sub)
		sub.Use(trace("s"))
		sub.Group("/in").Use(trace("in"))
		sub.GET("/x", tell("x"))
	}
	done.Store(true)
	wg.Wait()
}

// The first requests and inspections of the routes run concurrently.
func TestFirstRequestsTogether(t *testing.T) {
	for range 100 {
		m, sub := muxmaster.New(), muxmaster.New()
		m.Pre(trace("m"))
		m.GET("/x/:id", values)
		m.POST("/rest/*rest", values)
		sub.Pre(trace("s"))
		m.Mount("/s", sub)
		var wg sync.WaitGroup
		for _, c := range []struct {
			mux             *muxmaster.Mux
			response, route string
		}{
			{m, `m id="1"`, "GET /x/:id"},
			{sub, "s ", ""},
		} {
			check := func(what string, ask func() string, want string) {
				wg.Go(func() {
					if got := ask(); got != want {
						t.Errorf("%s: got %q, want %q", what, got, want)
					}
				})
			}
			handler := func(target string) func() string {
				return func() string {
					_, pattern := c.mux.Handler(httptest.NewRequest("GET", target, nil))
					return pattern
				}
			}
			check("GET /x/1", func() string { return ask(c.mux, httptest.NewRequest("GET", "/x/1", nil)).body }, c.response)
			check("Handler of /x/1", handler("/x/1"), c.route)
			check("Handler of /rest/1", handler("/rest/1"), "")
			check("Explain", func() string {
				if route := c.mux.Explain("GET", "/x/1").Route; route != nil {
					return route.Method + " " + route.Pattern
				}
				return ""
			}, c.route)
		}
		wg.Wait()
	}
}

// Over real connections, with every feature at once and routes that come while
// requests run: each answer has the values of its own request.
func TestHammerEverything(t *testing.T) {
	const clients, requests = 6, 150
	for _, mode := range modes {
		m, sub, deep := newMux(mode.pooled), newMux(mode.pooled), newMux(false)
		echo := func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(0) // let others run between routing and reading
			for _, p := range muxmaster.PathParams(r) {
				fmt.Fprintf(w, "%s=%s;", p.Key, r.PathValue(p.Key))
			}
		}
		seen := wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			w.Header().Set("Seen", r.PathValue("g")+r.PathValue("s"))
			next.ServeHTTP(w, r)
		})
		m.GET("/one/:a", echo)
		m.GETFast("/fast/:a/:b", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
			for _, p := range ps {
				fmt.Fprintf(w, "%s=%s;", p.Key, p.Value)
			}
		})
		m.Handle("/timeout/{a}", http.TimeoutHandler(http.HandlerFunc(echo), time.Minute, ""))
		m.HandleFunc("{h}.tenants.example/host/{a}", echo)
		m.GET("/rest/{a}.json/*rest", echo)
		g := m.Group("/g/:g")
		g.Use(seen)
		g.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "not found g=", r.PathValue("g"), ";") })
		g.GET("/x/:a", echo)
		sub.Use(seen)
		sub.GET("/x/:a", echo)
		sub.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "not allowed s=", r.PathValue("s"), ";") })
		deep.GET("/:d/*rest", echo)
		sub.Mount("/deep", deep)
		m.Mount("/s/:s", sub)
		m.GET("/nested/:a", func(w http.ResponseWriter, r *http.Request) {
			m.ServeHTTP(w, httptest.NewRequest("GET", "/g/"+r.PathValue("a")+"/x/"+r.PathValue("a"), nil))
			fmt.Fprint(w, "a="+r.PathValue("a")+";")
		})
		srv := httptest.NewServer(m)
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range 50 {
				m.GET(fmt.Sprintf("/late%d/:a", i), echo)
				deep.GET(fmt.Sprintf("/late%d/:a/:b", i), echo)
			}
		})
		for c := range clients {
			wg.Go(func() {
				for i := range requests {
					id := fmt.Sprintf("%d-%d", c, i)
					q := [...]struct{ method, host, target, want string }{
						{"GET", "", "/one/@", "a=@;"},
						{"GET", "", "/fast/@/b@", "a=@;b=b@;"},
						{"GET", "", "/timeout/@", "a=@;"},
						{"GET", "@.tenants.example", "/host/@", "h=@;a=@;"},
						{"GET", "", "/rest/@.json/x/@", "a=@;rest=/x/@;"},
						{"GET", "", "/g/@/x/@", "g=@;a=@;"},
						{"GET", "", "/g/@/none", "not found g=@;"},
						{"GET", "", "/s/@/x/@", "s=@;a=@;"},
						{"POST", "", "/s/@/x/@", "not allowed s=@;"},
						{"GET", "", "/s/@/deep/@/y/@", "s=@;d=@;rest=/y/@;"},
						{"GET", "", "/nested/@", "g=@;a=@;a=@;"},
						{"GET", "", "/one/@%2F@", "a=@/@;"},
					}[i%12]
					r, err := http.NewRequest(q.method, srv.URL+strings.ReplaceAll(q.target, "@", id), nil)
					if err != nil {
						t.Error(err)
						return
					}
					r.Host = strings.ReplaceAll(q.host, "@", id)
					resp, err := srv.Client().Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					body, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if want := strings.ReplaceAll(q.want, "@", id); string(body) != want {
						t.Errorf("%s: %s %s: got %q, want %q", mode.name, q.method, r.URL, body, want)
					}
					if s := resp.Header.Get("Seen"); s != "" && s != id {
						t.Errorf("%s: %s: middleware saw %q, want %q", mode.name, r.URL, s, id)
					}
				}
			})
		}
		wg.Wait()
		srv.Close()
	}
}
