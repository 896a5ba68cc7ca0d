// Package migrate tests that inspect.Compare finds what goes wrong when a
// program moves from another router: each trap is a small program of that
// router, and the translation that looks right and isn't.
package migrate

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v5"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// says returns a handler that writes a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }
}

// login refuses clients without a login.
func login(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			http.Error(w, "log in", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func ginLogin(c *gin.Context) {
	if c.GetHeader("Authorization") == "" {
		c.String(http.StatusUnauthorized, "log in\n")
		c.Abort()
	}
}

// A route is "METHOD PATTERN TEXT" in the syntax of its router, or "METHOD
// PATTERN TEXT login" if it has the middleware login. The method * is for all.
func cut(route string) (method, pattern, text string, guarded bool) {
	f := strings.Fields(route)
	return f[0], f[1], f[2], len(f) > 3
}

// The following functions return a router with the changes and then the routes.

func onChi(change func(r *chi.Mux), routes ...string) http.Handler {
	r := chi.NewRouter()
	if change != nil {
		change(r)
	}
	for _, route := range routes {
		method, pattern, text, guarded := cut(route)
		to := chi.Router(r)
		if guarded {
			to = r.With(login)
		}
		if method == "*" {
			to.Handle(pattern, says(text))
		} else {
			to.Method(method, pattern, says(text))
		}
	}
	return r
}

func onGin(change func(r *gin.Engine), routes ...string) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	if change != nil {
		change(r)
	}
	for _, route := range routes {
		method, pattern, text, guarded := cut(route)
		var chain []gin.HandlerFunc
		if guarded {
			chain = append(chain, ginLogin)
		}
		r.Handle(method, pattern, append(chain, func(c *gin.Context) { c.String(200, text) })...)
	}
	return r
}

func onGorilla(change func(r *mux.Router), routes ...string) http.Handler {
	r := mux.NewRouter()
	if change != nil {
		change(r)
	}
	for _, route := range routes {
		method, pattern, text, _ := cut(route)
		added := r.Handle(pattern, says(text))
		if method != "*" {
			added.Methods(method)
		}
	}
	return r
}

func ours(change func(m *muxmaster.Mux), routes ...string) *muxmaster.Mux {
	m := muxmaster.New()
	if change != nil {
		change(m)
	}
	for _, route := range routes {
		method, pattern, text, guarded := cut(route)
		h := http.Handler(says(text))
		if guarded {
			h = login(h)
		}
		if method == "*" {
			m.Handle(pattern, h)
		} else {
			m.Method(method, pattern, h)
		}
	}
	return m
}

// guarded is chi's way to protect all paths below a prefix.
func guarded(r *chi.Mux) {
	r.Route("/admin", func(r chi.Router) { r.Use(login); r.Get("/users", says("users")) })
}

// shadows is a route of gorilla/mux that hides later ones.
func shadows(r *mux.Router) { r.PathPrefix("/admin").Handler(login(says("admin"))) }

func mounted(m *muxmaster.Mux) { m.Mount("/admin", login(says("admin"))) }

// TestTraps checks that Compare finds what translations that look right get
// wrong, and that it lists lost logins first.
func TestTraps(t *testing.T) {
	for _, tt := range []struct {
		name string
		old  http.Handler
		now  *muxmaster.Mux
		want inspect.Kind // of a difference
		at   string       // the request that shows it
	}{
		{"chi: Route owns its prefix", onChi(guarded, "GET /* app"), ours(nil, "GET /*path app", "GET /admin/users users login"), inspect.LostLogin, "GET /admin/none-such"},
		{"chi: a route leaves With", onChi(nil, "GET /a a login", "DELETE /a b login"), ours(nil, "GET /a a login", "DELETE /a b"), inspect.LostLogin, "DELETE /a"},
		{"chi: the mounted router had the login", onChi(func(r *chi.Mux) {
			sub := chi.NewRouter()
			sub.Use(login)
			sub.Get("/x", says("x"))
			r.Mount("/api", sub)
		}),
			ours(nil, "GET /api/ root login", "GET /api/x x"), inspect.LostLogin, "GET /api/x"},
		{"chi: a value keeps its escapes",
			onChi(func(r *chi.Mux) {
				r.Get("/f/{a}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, chi.URLParam(r, "a")) })
			}),
			ours(func(m *muxmaster.Mux) {
				m.GET("/f/{a}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("a")) })
			}),
			inspect.OtherBody, "GET /f/a%2Fb"},
		{"chi: HEAD of a GET route", onChi(nil, "GET /a a"), ours(nil, "GET /a a"), inspect.NewRoute, "HEAD /a"},
		{"chi: no redirect of a trailing slash", onChi(nil, "GET /a a"), ours(nil, "GET /a a"), inspect.OtherStatus, "GET /a/"},
		{"chi: StripSlashes", onChi(func(r *chi.Mux) { r.Use(chimiddleware.StripSlashes) }, "GET /a a"), ours(nil, "GET /a a"), inspect.OtherStatus, "GET /a/"},
		{"chi: NotFound in JSON is left behind", onChi(func(r *chi.Mux) {
			r.NotFound(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(404)
				io.WriteString(w, "{}")
			})
		}, "GET /a a"), ours(nil, "GET /a a"), inspect.OtherError, "GET /none-such"},
		{"chi: r.Handle is for every method", onChi(nil, "* /a a"), ours(nil, "GET /a a"), inspect.LostRoute, "POST /a"},
		{"chi: a panic is no longer recovered", onChi(nil, "GET /a/{n} a"),
			ours(func(m *muxmaster.Mux) { m.GET("/a/{n}", func(http.ResponseWriter, *http.Request) { panic("bad") }) }), inspect.Crash, "GET /a/1"},

		{"gin: a middleware that calls next after it refused", onGin(nil, "GET /a a login"), ours(func(m *muxmaster.Mux) {
			m.Use(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") == "" {
						w.WriteHeader(http.StatusUnauthorized)
						io.WriteString(w, "log in\n") // c.Abort stood here
					}
					next.ServeHTTP(w, r)
				})
			})
		}, "GET /a a"), inspect.LostLogin, "GET /a"},
		{"gin: a trailing slash redirects to the guarded path", onGin(nil, "GET /orders orders login"), ours(nil, "GET /orders orders login", "* /orders/ orders"), inspect.LostLogin, "GET /orders/"},
		{"gin: an abort in the handler of a chain", onGin(func(r *gin.Engine) { r.GET("/a", func(c *gin.Context) { c.AbortWithStatus(http.StatusForbidden) }) }),
			ours(nil, "GET /a a"), inspect.LostLogin, "GET /a"},
		{"gin: Use in the middle is for later routes", onGin(func(r *gin.Engine) { r.GET("/health", func(c *gin.Context) { c.String(200, "ok") }); r.Use(ginLogin) }, "GET /a a"),
			ours(func(m *muxmaster.Mux) { m.Use(login) }, "GET /health ok", "GET /a a"), inspect.NewLogin, "GET /health"},
		{"gin: %2F separates segments", onGin(nil, "GET /u/:a one", "GET /u/:a/:b two"), ours(nil, "GET /u/:a one", "GET /u/:a/:b two"), inspect.OtherBody, "GET /u/a%2Fb"},
		{"gin: %2F leads into a guarded group", onGin(nil, "GET /:page page", "GET /admin/:name admin login"), ours(nil, "GET /:page page", "GET /admin/:name admin login"),
			inspect.LostLogin, "GET /admin%2F1"},
		{"gin: an unknown method is a 404", onGin(nil, "GET /a a"), ours(nil, "GET /a a"), inspect.OtherStatus, "POST /a"},
		{"gin: 301 and 307", onGin(nil, "GET /a a"), ours(nil, "GET /a a"), inspect.OtherStatus, "GET /a/"},
		{"gin: RedirectFixedPath ignores case", onGin(func(r *gin.Engine) { r.RedirectFixedPath = true }, "GET /abc a"), ours(nil, "GET /abc a"), inspect.OtherStatus, "GET /ABC"},
		{"gin: NoRoute serves the app", onGin(func(r *gin.Engine) { r.NoRoute(func(c *gin.Context) { c.String(200, "app") }) }, "GET /api/x x"), ours(nil, "GET /api/x x"),
			inspect.LostRoute, "GET /none-such"},

		{"gorilla: an earlier route shadows a later one", onGorilla(shadows, "* /admin/help help"), ours(mounted, "GET /admin/help help"), inspect.LostLogin, "GET /admin/help"},
		{"gorilla: an earlier parameter shadows a literal", onGorilla(nil, "* /u/{id} user", "* /u/me me"), ours(nil, "* /u/{id} user", "* /u/me me"), inspect.OtherBody, "GET /u/me"},
		{"gorilla: a greedy parameter", onGorilla(nil, "* /files/{path:.+} file"), ours(nil, "* /files/{path} file"), inspect.LostRoute, "GET /files/1/none-such"},
		{"gorilla: PathPrefix without a slash", onGorilla(func(r *mux.Router) { r.PathPrefix("/static").Handler(says("file")) }),
			ours(func(m *muxmaster.Mux) { m.Mount("/static", says("file")) }), inspect.LostRoute, "GET /staticx"},
		{"gorilla: middleware runs for matches only", onGorilla(func(r *mux.Router) { r.Use(login) }, "* /a a"), ours(func(m *muxmaster.Mux) { m.Use(login) }, "* /a a"),
			inspect.NewLogin, "GET /none-such"},
		{"gorilla: StrictSlash", onGorilla(func(r *mux.Router) { r.StrictSlash(true) }, "* /a/ a"), ours(func(m *muxmaster.Mux) { m.RedirectTrailingSlash = false }, "* /a/ a"),
			inspect.OtherStatus, "GET /a"},
		{"gorilla: the host is lost", onGorilla(func(r *mux.Router) { r.Host("example.com").Path("/a").Handler(says("a")) }), ours(nil, "* /a a"), inspect.NewRoute, "GET other.example/a"},
		{"gorilla: a 405 without Allow", onGorilla(nil, "GET /a a"), ours(nil, "GET /a a"), inspect.OtherHeader, "POST /a"},
		{"gorilla: %2F separates", onGorilla(nil, "* /f/{a} one", "* /f/{a}/{b} two"), ours(nil, "* /f/{a} one", "* /f/{a}/{b} two"), inspect.OtherBody, "GET /f/a%2Fb"},

		{"httprouter: OPTIONS", func() http.Handler {
			r := httprouter.New()
			r.Handler("GET", "/a", says("a"))
			r.GlobalOPTIONS = login(says(""))
			return r
		}(),
			ours(nil, "GET /a a"), inspect.LostLogin, "OPTIONS /a"},
		{"echo: a parameter at the end takes more segments", func() http.Handler {
			e := echo.New()
			e.GET("/u/:id", func(c *echo.Context) error { return c.String(200, "user") })
			return e
		}(), ours(nil, "GET /u/:id user"), inspect.LostRoute, "GET /u/1/none-such"},
		{"net/http: a guard in front reads another path than the file server", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := http.Handler(says("file"))
			if strings.HasPrefix(r.URL.Path, "/private/") {
				h = login(h)
			}
			h.ServeHTTP(w, r)
		}), ours(nil, "* / file", "GET /private/{name} private login"), inspect.LostLogin, "GET /private/1/none-such"},
		{"a handler that ignores case", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := http.HandlerFunc(http.NotFound)
			if strings.EqualFold(r.URL.Path, "/report") {
				h = says("report")
			}
			h(w, r)
		}), ours(nil, "* /report report"), inspect.LostRoute, "GET /REPORT"},
		{"CORS for one route", onChi(func(r *chi.Mux) {
			r.Options("/a", func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Origin") != "" {
					w.WriteHeader(403)
				}
			})
		}, "GET /a a"), ours(nil, "GET /a a"), inspect.LostLogin, "OPTIONS /a"},
	} {
		list := inspect.Compare(tt.old, tt.now, inspect.Requests(tt.now))
		if !slices.ContainsFunc(list, func(d inspect.Difference) bool { return d.Kind == tt.want && request(d) == tt.at }) {
			t.Errorf("%s: no %s at %s in %v", tt.name, tt.want, tt.at, list[:min(len(list), 60)])
		}
		if !slices.IsSortedFunc(list, func(a, b inspect.Difference) int { return int(a.Kind) - int(b.Kind) }) {
			t.Errorf("%s: the worst differences don't come first", tt.name)
		}
	}
}

// TestMoved checks that Compare finds no loss in programs that were moved as
// docs/migration.md describes.
func TestMoved(t *testing.T) {
	for _, tt := range []struct {
		name string
		old  http.Handler
		now  *muxmaster.Mux
	}{
		{"chi", onChi(guarded, "GET / home", "GET /* app", "GET /api/users/{id:[0-9]+} user", "DELETE /api/users/{id:[0-9]+} deleted login"),
			ours(func(m *muxmaster.Mux) {
				m.Route("/admin", func(g *muxmaster.Group) { g.Use(login); g.GET("/users", says("users")) })
			}, "GET / home", "GET /*path app", "GET /api/users/{id:[0-9]+} user", "DELETE /api/users/{id:[0-9]+} deleted login")},
		{"gin", onGin(nil, "GET /health ok", "GET /users/:id user login", "POST /users/:id changed login"),
			ours(nil, "GET /health ok", "GET /users/:id user login", "POST /users/:id changed login")},
		{"gorilla", onGorilla(shadows, "* /admin/debug hidden", "GET /users/{id:[0-9]+} user", "GET /files/{path:.+} file"),
			ours(mounted, "GET /users/{id:[0-9]+} user", "GET /files/{path...} file")},
	} {
		for _, d := range inspect.Compare(tt.old, tt.now, inspect.Requests(tt.now)) {
			automatic := d.Request.Method == "HEAD" || d.Request.Method == "OPTIONS" // responses without a route of their own
			escaped := strings.Contains(d.Request.RequestURI, "%")                   // routers decode at different times
			if d.Kind <= inspect.LostRoute && !automatic && !escaped {
				t.Errorf("%s: %v", tt.name, d)
			}
		}
	}
}

// request returns the request of a difference as text, with its host if that is
// not the usual one.
func request(d inspect.Difference) string {
	host := d.Request.Host
	if host == "example.com" {
		host = ""
	}
	return d.Request.Method + " " + host + d.Request.RequestURI
}
