package pattern

import (
	"net/http"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
)

func h(w http.ResponseWriter, r *http.Request)                        {}
func fast(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) {}

var (
	handler http.Handler = http.HandlerFunc(h)
	public               = fstest.MapFS{"index.html": new(fstest.MapFile)}
)

const users = "/const/:id/:id"

func panics() {
	mux := muxmaster.New()
	mux.GET("users", h)                          // want `this pattern panics: the path must begin with /`
	mux.GET(users, h)                            // want `this pattern panics: the parameter name "id" is used twice`
	mux.GETFast("/a/:", fast)                    // want `this pattern panics: the parameter in ":" needs a name`
	mux.Handle("", handler)                      // want `this pattern panics: the pattern is empty`
	mux.HandleFast("/a/{x...}/b/{y...}/c", fast) // want `the second one inside the path`
	_ = mux.TryHandle("/a/{1}", handler)         // want `bad parameter name "1"`
	mux.Group("v1")                              // want `this prefix panics: the path must begin with /`
	mux.Group("/v1").GET("x/{"+"id", h)          // want `this pattern panics`
	mux.ServeFiles("/files", public)             // want `this pattern panics: the path must end in a catch-all`
	mux.ServeSPA("spa", public)                  // want `this pattern panics: the path must begin with /`
	get(mux, "users", h)                         // want `this pattern panics: the path must begin with /`
	get(mux, "/given/:id", h)
	get(mux, "/given/:name", h) // want `this pattern panics: it matches the same requests as "/given/:id" at pattern.go:\d+`
	below(mux, "/:id", h)
	below(mux, "/:name", h) // want `this pattern panics: it matches the same requests as "/below/:id" at pattern.go:\d+`
	always(mux, h)
	optional(mux, false, "/optional/:id", h)
	optional(mux, true, "/optional/:name", h)
}

func get(m *muxmaster.Mux, path string, h http.HandlerFunc) { m.GET(path, h) }

func below(m *muxmaster.Mux, path string, h http.HandlerFunc) { m.GET("/below"+path, h) }

func always(m *muxmaster.Mux, h http.HandlerFunc) { m.GET("always", h) } // want `this pattern panics: the path must begin with /`

func optional(m *muxmaster.Mux, on bool, path string, h http.HandlerFunc) {
	if !on {
		return
	}
	m.GET(path, h)
}

func dialects() {
	mux := muxmaster.New()
	mux.GET("/u1/<id>", h)                       // want `this pattern panics: "<id>": a parameter is written {id}`
	mux.GET("/u4/[...rest]", h)                  // want `the rest of the path is written {rest...}`
	mux.GET("/u12/{rest:.*}", h)                 // want `write \{rest...\} for the rest of the path, \{rest\} for one segment`
	mux.Group("/u17/<tenant>")                   // want `this prefix panics: "<tenant>": a parameter is written {tenant}`
	mux.Method("GET,POST", "/u18/<id>", handler) // want `this pattern panics: "<id>"`
}

func unreachable() {
	mux := muxmaster.New()
	mux.GET("/a/./b", h)               // want `this pattern panics: the path can never match`
	mux.GET("/a//b", h)                // want `this pattern panics: the path can never match`
	mux.Handle("/a//c", handler)       // want `no request reaches this route: paths are cleaned`
	mux.Handle("/a/../b", handler)     // want `no request reaches this route: paths are cleaned`
	mux.Handle("get /lower", handler)  // want `this pattern panics: the method get is written GET`
	mux.Handle("GET/nospace", handler) // want `this pattern panics: "GET" is the host of this pattern; write a space between method and path`
	mux.GET("/c/{id:[^/]*}/x", h)
	mux.GET("/c/:id/x", h) // want `no request reaches this route: "/c/\{id:\[\^/\]\*\}/x" at pattern.go:\d+ matches everything`
	mux.GET("/d/{id:[^/]+}/x", h)
	mux.GET("/d/{id:[0-9]+}/x", h) // want `no request reaches this route`
}

func conflicts() {
	mux := muxmaster.New()
	mux.GET("/users/:id", h)
	mux.GET("/users/{name}", h)               // want `this pattern panics: it matches the same requests as "/users/:id" at pattern.go:\d+`
	mux.Handle("GET,PUT /users/{x}", handler) // want `it matches the same requests`
	mux.GETFast("/users/:fast", fast)         // want `it matches the same requests`
	mux.GET("/files/*rest", h)
	mux.HandleFunc("GET /files/", h) // want `it matches the same requests`
	mux.ANY("/any", h)
	mux.Handle("/any", handler) // want `it matches the same requests`
	mux.Handle("GET Example.com/x", handler)
	mux.Handle("GET example.com./x", handler) // want `it matches the same requests`
	mux.GET("/n/{id:[0-9]+}", h)
	mux.GET("/n/{num:[0-9]+}", h) // want `it matches the same requests`

	api := mux.Group("/api")
	api.GET("/x", h)
	mux.GET("/api/x", h) // want `it matches the same requests as "/x"`
	mux.Route("/api/y", func(g *muxmaster.Group) {
		g.GET("/z", h)
	})
	api.With().GET("/y/z", h) // want `it matches the same requests`

	sub := muxmaster.New()
	sub.GET("/s", h)
	mux.Mount("/sub", sub)
	mux.GET("/sub/s", h) // wins over the route of the mounted Mux
	more(mux)
	mux.Mount("/debug/", handler)
	mux.Handle("/debug/", handler) // want `it matches the same requests as "/debug/"`
	mux.ANY("/debug", h)           // more specific than the mount
	mux.Mount("/debug", handler)   // want `it matches the same requests as "/debug/"`
	mux.ServeSPA("/spa", public)
	mux.GET("/spa", h) // want `it matches the same requests as "/spa"`

	users := mux.Group("/members/")
	users.GET("", h)
	mux.GET("/members", h) // want `it matches the same requests as ""`
	users.Handle("GET /{id}", handler)
	mux.GET("/members/:id", h)           // want `it matches the same requests as "GET /{id}"`
	mux.Group("/t/:id").GET("/x/:id", h) // want `this pattern panics: the parameter name "id" is used twice`
	mux.Group("/t/*rest")                // want `this prefix panics: a prefix cannot end in a catch-all`
}

func more(m *muxmaster.Mux) {
	m.GET("/users/:more", h) // want `it matches the same requests`
}

type server struct{ mux *muxmaster.Mux }

func newServer() *server {
	s := &server{mux: muxmaster.New()}
	s.a()
	s.b()
	return s
}

func (s *server) a() { s.mux.GET("/a", h) }
func (s *server) b() { s.mux.GET("/a", h) } // want `it matches the same requests`

func std() {
	mux := http.NewServeMux()
	mux.HandleFunc("/u/:id", h)         // want `:id is literal text for http.ServeMux: a parameter is written {id}`
	mux.HandleFunc("/f/*path", h)       // want `\*path is literal text for http.ServeMux: the rest of the path is written {path...}`
	mux.HandleFunc("GET /x/{id", h)     // want `this pattern panics: bad wildcard segment`
	mux.HandleFunc("/p/{name}.json", h) // want `this pattern panics: bad wildcard segment`
	mux.HandleFunc("GET /c/{a}/b", h)
	mux.HandleFunc("GET /c/b/{a}", h) // want `this pattern panics: it conflicts with "GET /c/{a}/b" at pattern.go:\d+`
	mux.HandleFunc("GET /c/{x}/b", h) // want `this pattern panics: it conflicts`
	http.HandleFunc("bad path", h)    // want `this pattern panics`
}

var shared = muxmaster.New()

func init() { shared.GET("/init/:id", h) }
func init() { shared.GET("/init/:x", h) } // want `it matches the same requests`
func init() {
	http.Handle("/default", handler)
	http.DefaultServeMux.HandleFunc("/default", h) // want `it conflicts with "/default"`
}

type embedding struct{ *muxmaster.Mux }

func embedded() {
	e := &embedding{Mux: muxmaster.New()}
	e.GET("/x/:a", h)
	e.Mux.GET("/x/:b", h) // want `it matches the same requests`
	defer e.GET("/y", h)
	func() {
		e.GET("/z", h)
	}()
	func() {
		e.GET("/z", h) // want `it matches the same requests`
		e.GET("/z", h) // want `it matches the same requests`
	}()
}

// No reports below.

// Several muxes created by one constructor, in variables and in fields.
func instances(debug bool) {
	one, two := build(), build()
	one.GET("/x", h)
	two.GET("/x", h)
	public, private := newInstance(), newInstance()
	public.GET("/x", h)
	private.GET("/x", h)
	all := []*instance{public, private}
	all[0].GET("/y", h)
	all[1].GET("/y", h)
}

func build() *muxmaster.Mux {
	m := muxmaster.New()
	m.GET("/health", h)
	return m
}

type instance struct{ *muxmaster.Mux }

func newInstance() *instance { return &instance{Mux: muxmaster.New()} }

func conditions(debug bool) {
	mux := muxmaster.New()
	if debug {
		mux.GET("/a", h)
	}
	if !debug {
		mux.GET("/a", h)
	}
	on := func() { mux.GET("/b", h) }
	off := func() { mux.GET("/b", h) }
	if debug {
		on()
	} else {
		off()
	}
	switch {
	case debug:
		mux.GET("/c", h)
		return
	}
	mux.GET("/c", h)
}

func right(debug bool, version int) {
	mux := muxmaster.New()
	mux.GET("/", h)
	mux.GET("/users/:id", h)
	mux.POST("/users/:id", h)
	mux.ANY("/users/:id", h)
	mux.GET("/users/me", h)
	mux.GET("/users/{id:[0-9]+}", h)
	mux.GET("/users/{id:[a-z]+}", h)
	mux.GET("/users/{id:[a-z]+}/posts", h)
	mux.GET("/narrow/{id:[0-9]+}/x", h)
	mux.GET("/narrow/{id:[^/]+}/x", h)
	mux.GET("/users/{id:[0-9]+}/comments", h)
	mux.GET("/{name}.json", h)
	mux.GET("/v{major}.{minor}/x", h)
	mux.GET("/{id}:cancel", h)
	mux.GET("/static/*filepath", h)
	mux.Handle("GET,POST example.com/static/{filepath...}", handler)
	mux.GET("/x/", h)
	mux.GET("/x", h)
	mux.GET("/y/{$}", h)
	mux.HandleFunc("PURGE /cache/{key...}", h)
	mux.GET("/mixed/{a:[^/]*}-{b}", h)
	if debug {
		mux.GET("/debug", h)
	} else {
		mux.GET("/debug", h)
	}
	switch version {
	case 1:
		mux.GET("/version", h)
	case 2:
		mux.GET("/version", h)
	}
	other := muxmaster.New()
	other.GET("/users/:id", h)
	a, b := mux.Group("/g1"), mux.Group("/g2")
	a.GET("/x", h)
	b.GET("/x", h)

	again := muxmaster.New()
	again.GET("/x", h)
	again = muxmaster.New()
	again.GET("/x", h)

	early := muxmaster.New()
	if debug {
		early.GET("/x", h)
		return
	}
	early.GET("/x", h)

	std := http.NewServeMux()
	std.HandleFunc("/u/{id}", h)
	std.HandleFunc("GET /u/{id}", h)
	std.HandleFunc("GET /u/list", h)
	std.HandleFunc("/v1/items/{id}/", h)
}

func variable(path string, muxes []*muxmaster.Mux) {
	for _, m := range muxes {
		m.GET(path, h)
		m.GET(path, h)
	}
	muxes[0].GET("/x", h)
	muxes[1].GET("/x", h)
}

// Two functions that are never both called.
func simple()   { http.DefaultServeMux.Handle("/", handler) }
func advanced() { http.DefaultServeMux.Handle("/", handler) }

func choose(v int) {
	switch v {
	case 1:
		simple()
	default:
		advanced()
	}
}

func hosts() {
	mux := muxmaster.New()
	mux.GET("/users/:id", h)
	tenant := mux.Host("{tenant}.example.com")
	tenant.GET("/users/:id", h)
	tenant.Group("/users").GET("/{x}", h)          // want `this pattern panics: it matches the same requests as "/users/:id"`
	mux.Handle("{t}.example.com/users/:y", h2)     // another method
	mux.Handle("GET {t}.example.com/users/:y", h2) // want `this pattern panics: it matches the same requests as`
	tenant.GET("/:tenant", h)                      // want `this pattern panics: .*twice`
	tenant.Handle("a.com/x", h2)                   // want `this pattern panics: the host "a.com" is inside Host`
	tenant.Host("b.com")                           // want `this host panics: it is inside Host`
	mux.Host("a.com:80").GET("/x", h)              // want `this host panics: a host has no scheme, port or path; write "a.com"`
	mux.Host("a.com").GET("/x", h)
	mux.Host("b.com").GET("/x", h)
	mux.Host("a.com").GET("/x", h) // want `matches the same requests as "/x"`
}

var h2 = http.HandlerFunc(h)
