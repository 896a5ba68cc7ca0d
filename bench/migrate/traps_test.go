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

// value returns a handler that writes a path value.
func value(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s=%s", name, r.PathValue(name)) }
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

func ginSays(text string) gin.HandlerFunc { return func(c *gin.Context) { c.String(200, text) } }

func ginLogin(c *gin.Context) {
	if c.GetHeader("Authorization") == "" {
		c.String(http.StatusUnauthorized, "log in\n")
		c.Abort()
	}
}

func newGin() *gin.Engine { gin.SetMode(gin.ReleaseMode); return gin.New() }

// traps are translations that look right. old is the program before, now after.
var traps = []struct {
	name string
	old  func() http.Handler
	now  func(m *muxmaster.Mux)
	want inspect.Kind // of a difference
	at   string       // the request that shows it
}{
	{"chi: Route owns its prefix, a Group doesn't",
		func() http.Handler {
			r := chi.NewRouter()
			r.Get("/*", says("app"))
			r.Route("/admin", func(r chi.Router) { r.Use(login); r.Get("/users", says("users")) })
			return r
		},
		func(m *muxmaster.Mux) {
			m.GET("/*path", says("app"))
			g := m.Group("/admin")
			g.Use(login)
			g.GET("/users", says("users"))
		}, inspect.LostLogin, "GET /admin/none-such"},
	{"chi: a route leaves With",
		func() http.Handler {
			r := chi.NewRouter()
			r.With(login).Get("/a", says("a"))
			r.With(login).Delete("/a", says("deleted"))
			return r
		},
		func(m *muxmaster.Mux) { m.With(login).GET("/a", says("a")); m.DELETE("/a", says("deleted")) },
		inspect.LostLogin, "DELETE /a"},
	{"chi: the mounted router had the login",
		func() http.Handler {
			sub := chi.NewRouter()
			sub.Use(login)
			sub.Get("/x", says("x"))
			r := chi.NewRouter()
			r.Mount("/api", sub)
			return r
		},
		func(m *muxmaster.Mux) {
			m.With(login).GET("/api/", says("root"))
			m.GET("/api/x", says("x"))
		}, inspect.LostLogin, "GET /api/x"},
	{"chi: a value keeps its escapes",
		func() http.Handler {
			r := chi.NewRouter()
			r.Get("/files/{name}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "name=%s", chi.URLParam(r, "name")) })
			return r
		},
		func(m *muxmaster.Mux) { m.GET("/files/{name}", value("name")) },
		inspect.OtherBody, "GET /files/a%2Fb"},
	{"chi: HEAD of a GET route", func() http.Handler { r := chi.NewRouter(); r.Get("/a", says("a")); return r },
		func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.NewRoute, "HEAD /a"},
	{"chi: no redirect of a trailing slash", func() http.Handler { r := chi.NewRouter(); r.Get("/a", says("a")); return r },
		func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.OtherStatus, "GET /a/"},
	{"chi: StripSlashes", func() http.Handler {
		r := chi.NewRouter()
		r.Use(chimiddleware.StripSlashes)
		r.Get("/a", says("a"))
		return r
	}, func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.OtherStatus, "GET /a/"},
	{"chi: NotFound in JSON is left behind", func() http.Handler {
		r := chi.NewRouter()
		r.NotFound(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(404)
			io.WriteString(w, "{}")
		})
		r.Get("/a", says("a"))
		return r
	}, func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.OtherError, "GET /none-such"},
	{"chi: r.Handle is for every method", func() http.Handler { r := chi.NewRouter(); r.Handle("/a", says("a")); return r },
		func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.LostRoute, "POST /a"},
	{"chi: a panic is no longer recovered", func() http.Handler {
		r := chi.NewRouter()
		r.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer func() {
					if recover() != nil {
						w.WriteHeader(400)
					}
				}()
				next.ServeHTTP(w, r)
			})
		})
		r.Get("/a/{n}", func(w http.ResponseWriter, r *http.Request) { panic("bad") })
		return r
	}, func(m *muxmaster.Mux) {
		m.GET("/a/{n}", func(w http.ResponseWriter, r *http.Request) { panic("bad") })
	}, inspect.Crash, "GET /a/1"},

	{"gin: a middleware that calls next after it refused",
		func() http.Handler {
			r := newGin()
			r.Use(ginLogin)
			r.GET("/a", ginSays("secret"))
			return r
		},
		func(m *muxmaster.Mux) {
			m.Use(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") == "" {
						w.WriteHeader(http.StatusUnauthorized)
						io.WriteString(w, "log in\n") // c.Abort stood here
					}
					next.ServeHTTP(w, r)
				})
			})
			m.GET("/a", says("secret"))
		}, inspect.LostLogin, "GET /a"},
	{"gin: a trailing slash redirects to the guarded path",
		func() http.Handler {
			r := newGin()
			r.Group("/orders", ginLogin).GET("", ginSays("orders"))
			return r
		},
		func(m *muxmaster.Mux) {
			m.With(login).GET("/orders", says("orders"))
			m.ANY("/orders/", says("orders"))
		}, inspect.LostLogin, "GET /orders/"},
	{"gin: an abort in the handler of a chain",
		func() http.Handler {
			r := newGin()
			r.GET("/a", func(c *gin.Context) { c.AbortWithStatus(http.StatusForbidden) }, ginSays("secret"))
			return r
		},
		func(m *muxmaster.Mux) { m.GET("/a", says("secret")) },
		inspect.LostLogin, "GET /a"},
	{"gin: Use in the middle is for later routes", func() http.Handler {
		r := newGin()
		r.GET("/health", ginSays("ok"))
		r.Use(ginLogin)
		r.GET("/a", ginSays("a"))
		return r
	}, func(m *muxmaster.Mux) { m.Use(login); m.GET("/health", says("ok")); m.GET("/a", says("a")) }, inspect.NewLogin, "GET /health"},
	{"gin: the group with the login", func() http.Handler {
		r := newGin()
		api := r.Group("/api")
		admin := api.Group("/admin", ginLogin)
		admin.GET("/x", ginSays("x"))
		return r
	}, func(m *muxmaster.Mux) { m.Group("/api").Group("/admin").GET("/x", says("x")) }, inspect.LostLogin, "GET /api/admin/x"},
	{"gin: %2F separates segments", func() http.Handler {
		r := newGin()
		r.GET("/u/:a", ginSays("one"))
		r.GET("/u/:a/:b", ginSays("two"))
		return r
	}, func(m *muxmaster.Mux) { m.GET("/u/:a", says("one")); m.GET("/u/:a/:b", says("two")) }, inspect.OtherBody, "GET /u/a%2Fb"},
	{"gin: %2F leads into a guarded group", func() http.Handler {
		r := newGin()
		r.GET("/:page", ginSays("page"))
		r.Group("/admin", ginLogin).GET("/:name", ginSays("admin"))
		return r
	}, func(m *muxmaster.Mux) {
		m.GET("/:page", says("page"))
		m.Group("/x").GET("/y", says("y"))
		m.With(login).GET("/admin/:name", says("admin"))
	}, inspect.LostLogin, "GET /admin%2F1"},
	{"gin: an unknown method is a 404", func() http.Handler { r := newGin(); r.GET("/a", ginSays("a")); return r },
		func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.OtherStatus, "POST /a"},
	{"gin: 301 and 307", func() http.Handler { r := newGin(); r.GET("/a", ginSays("a")); return r },
		func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.OtherStatus, "GET /a/"},
	{"gin: RedirectFixedPath ignores case", func() http.Handler {
		r := newGin()
		r.RedirectFixedPath = true
		r.GET("/abc", ginSays("a"))
		return r
	}, func(m *muxmaster.Mux) { m.GET("/abc", says("a")) }, inspect.OtherStatus, "GET /ABC"},
	{"gin: NoRoute serves the app", func() http.Handler {
		r := newGin()
		r.GET("/api/x", ginSays("x"))
		r.NoRoute(ginSays("app"))
		return r
	}, func(m *muxmaster.Mux) { m.GET("/api/x", says("x")) }, inspect.LostRoute, "GET /none-such"},

	{"gorilla: an earlier route shadows a later one",
		func() http.Handler {
			r := mux.NewRouter()
			r.PathPrefix("/admin").Handler(login(says("admin")))
			r.HandleFunc("/admin/help", says("help"))
			return r
		},
		func(m *muxmaster.Mux) { m.Mount("/admin", login(says("admin"))); m.GET("/admin/help", says("help")) },
		inspect.LostLogin, "GET /admin/help"},
	{"gorilla: an earlier parameter shadows a literal", func() http.Handler {
		r := mux.NewRouter()
		r.HandleFunc("/u/{id}", says("user"))
		r.HandleFunc("/u/me", says("me"))
		return r
	}, func(m *muxmaster.Mux) { m.ANY("/u/{id}", says("user")); m.ANY("/u/me", says("me")) }, inspect.OtherBody, "GET /u/me"},
	{"gorilla: a greedy parameter", func() http.Handler {
		r := mux.NewRouter()
		r.HandleFunc("/files/{path:.+}", says("file"))
		return r
	}, func(m *muxmaster.Mux) { m.ANY("/files/{path}", says("file")) }, inspect.LostRoute, "GET /files/1/none-such"},
	{"gorilla: PathPrefix without a slash", func() http.Handler {
		r := mux.NewRouter()
		r.PathPrefix("/static").Handler(says("file"))
		return r
	}, func(m *muxmaster.Mux) { m.Mount("/static", says("file")) }, inspect.LostRoute, "GET /staticx"},
	{"gorilla: middleware runs for matches only", func() http.Handler {
		r := mux.NewRouter()
		r.Use(login)
		r.HandleFunc("/a", says("a"))
		return r
	}, func(m *muxmaster.Mux) { m.Use(login); m.ANY("/a", says("a")) }, inspect.NewLogin, "GET /none-such"},
	{"gorilla: a subrouter's login", func() http.Handler {
		r := mux.NewRouter()
		s := r.PathPrefix("/api").Subrouter()
		s.Use(login)
		s.HandleFunc("/x", says("x"))
		return r
	}, func(m *muxmaster.Mux) { m.Group("/api").ANY("/x", says("x")) }, inspect.LostLogin, "GET /api/x"},
	{"gorilla: StrictSlash", func() http.Handler {
		r := mux.NewRouter().StrictSlash(true)
		r.HandleFunc("/a/", says("a"))
		return r
	}, func(m *muxmaster.Mux) { m.RedirectTrailingSlash = false; m.ANY("/a/", says("a")) }, inspect.OtherStatus, "GET /a"},
	{"gorilla: the host is lost", func() http.Handler {
		r := mux.NewRouter()
		r.Host("example.com").Path("/a").Handler(says("a"))
		return r
	}, func(m *muxmaster.Mux) { m.ANY("/a", says("a")) }, inspect.NewRoute, "GET other.example/a"},
	{"gorilla: a 405 without Allow", func() http.Handler {
		r := mux.NewRouter()
		r.HandleFunc("/a", says("a")).Methods("GET")
		return r
	}, func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.OtherHeader, "POST /a"},
	{"gorilla: %2F separates unless UseEncodedPath", func() http.Handler {
		r := mux.NewRouter()
		r.HandleFunc("/f/{a}", says("one"))
		r.HandleFunc("/f/{a}/{b}", says("two"))
		return r
	}, func(m *muxmaster.Mux) { m.ANY("/f/{a}", says("one")); m.ANY("/f/{a}/{b}", says("two")) }, inspect.OtherBody, "GET /f/a%2Fb"},

	{"httprouter: OPTIONS", func() http.Handler {
		r := httprouter.New()
		r.HandlerFunc("GET", "/a", says("a"))
		r.GlobalOPTIONS = login(says(""))
		return r
	}, func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.LostLogin, "OPTIONS /a"},
	{"echo: a parameter at the end takes more segments", func() http.Handler {
		e := echo.New()
		e.GET("/u/:id", func(c *echo.Context) error { return c.String(200, "user") })
		return e
	}, func(m *muxmaster.Mux) { m.GET("/u/:id", says("user")) }, inspect.LostRoute, "GET /u/1/none-such"},
	{"net/http: a guard in front reads another path than the file server",
		func() http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/private/") {
					http.Error(w, "log in", http.StatusUnauthorized)
					return
				}
				says("file")(w, r)
			})
		},
		func(m *muxmaster.Mux) {
			m.Handle("/", says("file"))
			m.With(login).GET("/private/{name}", says("private"))
		}, inspect.LostLogin, "GET /private/1/none-such"},
	{"a handler that ignores case", func() http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.EqualFold(r.URL.Path, "/report") {
				says("report")(w, r)
				return
			}
			http.NotFound(w, r)
		})
	}, func(m *muxmaster.Mux) { m.ANY("/report", says("report")) }, inspect.LostRoute, "GET /REPORT"},
	{"CORS for one route", func() http.Handler {
		r := chi.NewRouter()
		r.Options("/a", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Origin") != "" {
				w.WriteHeader(403)
			}
		})
		r.Get("/a", says("a"))
		return r
	}, func(m *muxmaster.Mux) { m.GET("/a", says("a")) }, inspect.LostLogin, "OPTIONS /a"},
}

// TestTraps checks that Compare finds each trap, and lists lost logins first.
func TestTraps(t *testing.T) {
	for _, trap := range traps {
		m := muxmaster.New()
		trap.now(m)
		list := inspect.Compare(trap.old(), m, inspect.Requests(m))
		found := slices.ContainsFunc(list, func(d inspect.Difference) bool {
			return d.Kind == trap.want && request(d) == trap.at
		})
		if !found {
			t.Errorf("%s: no %s at %s in", trap.name, trap.want, trap.at)
			for _, d := range list[:min(len(list), 60)] {
				t.Logf("  %v", d)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b inspect.Difference) int { return int(a.Kind) - int(b.Kind) }) {
			t.Errorf("%s: the worst differences don't come first", trap.name)
		}
		if trap.want == inspect.LostLogin && (len(list) == 0 || list[0].Kind != inspect.LostLogin) {
			t.Errorf("%s: the lost login isn't the first difference", trap.name)
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
