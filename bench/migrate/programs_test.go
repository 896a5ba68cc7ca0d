package migrate

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// programs are moved by hand twice, as docs/migration.md describes: quick is the
// first attempt, in which Compare finds a lost login, and done is the result.
var programs = []struct {
	router string
	before func() http.Handler
	quick  func(m *muxmaster.Mux)
	done   func(m *muxmaster.Mux)
	first  string // a difference of the first attempt
}{
	{"chi",
		func() http.Handler {
			r := chi.NewRouter()
			user := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", chi.URLParam(r, "id")) }
			r.Get("/", says("home"))
			r.Get("/*", says("app"))
			r.Route("/api", func(r chi.Router) {
				r.Get("/users/{id:[0-9]+}", user)
				r.With(login).Delete("/users/{id:[0-9]+}", user)
			})
			r.Route("/admin", func(r chi.Router) {
				r.Use(login)
				r.Get("/", says("admin"))
				r.Get("/stats", says("stats"))
			})
			return r
		},
		func(m *muxmaster.Mux) {
			m.GET("/", says("home"))
			m.GET("/*path", says("app"))
			api := m.Group("/api")
			api.GET("/users/{id:[0-9]+}", userByID)
			api.With(login).DELETE("/users/{id:[0-9]+}", userByID)
			admin := m.Group("/admin") // owns nothing: /*path serves /admin/none
			admin.Use(login)
			admin.GET("/", says("admin"))
			admin.GET("/stats", says("stats"))
		},
		func(m *muxmaster.Mux) {
			m.GET("/", says("home"))
			m.GET("/*path", says("app"))
			m.Route("/api", func(g *muxmaster.Group) {
				g.GET("/users/{id:[0-9]+}", userByID)
				g.With(login).DELETE("/users/{id:[0-9]+}", userByID)
			})
			m.Route("/admin", func(g *muxmaster.Group) {
				g.Use(login)
				g.GET("/", says("admin"))
				g.GET("/stats", says("stats"))
			})
		}, "lost login: GET /admin/none-such: 401, now 200 by GET /*path"},
	{"gin",
		func() http.Handler {
			r := newGin()
			user := func(c *gin.Context) { c.String(200, "user %s", c.Param("id")) }
			r.GET("/health", ginSays("ok"))
			r.Use(ginLogin) // for what follows
			r.GET("/users/:id", user)
			r.POST("/users/:id", func(c *gin.Context) {
				if c.GetHeader("X-Token") == "" {
					c.AbortWithStatus(http.StatusForbidden)
				}
			}, user)
			return r
		},
		func(m *muxmaster.Mux) {
			m.GET("/health", says("ok"))
			with := m.With(login)
			with.GET("/users/:id", userByID)
			m.POST("/users/:id", userByID) // neither the login nor the handler that aborts
		},
		func(m *muxmaster.Mux) {
			m.GET("/health", says("ok"))
			with := m.With(login)
			with.GET("/users/:id", userByID)
			with.With(token).POST("/users/:id", userByID)
		}, "lost login: POST /users/1: 401, now 200 by POST /users/:id"},
	{"gorilla",
		func() http.Handler {
			r := mux.NewRouter()
			user := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", mux.Vars(r)["id"]) }
			r.HandleFunc("/users/{id:[0-9]+}", user).Methods("GET")
			r.PathPrefix("/internal").Handler(login(says("internal")))
			r.HandleFunc("/internal/debug", says("debug")) // never reached
			r.HandleFunc("/files/{path:.+}", says("file")).Methods("GET")
			return r
		},
		func(m *muxmaster.Mux) {
			m.GET("/users/{id:[0-9]+}", userByID)
			m.Mount("/internal", login(says("internal")))
			m.ANY("/internal/debug", says("debug"))
			m.GET("/files/{path...}", says("file"))
		},
		func(m *muxmaster.Mux) {
			m.GET("/users/{id:[0-9]+}", userByID)
			m.Mount("/internal", login(says("internal")))
			m.GET("/files/{path...}", says("file"))
		}, "lost login: GET /internal/debug: 401, now 200 by /internal/debug"},
}

func userByID(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", r.PathValue("id")) }

// token refuses clients without a token.
func token(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") == "" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// TestPrograms checks that Compare shows the lost login of the first attempt,
// lost logins before all else, and that nothing is lost in the result.
func TestPrograms(t *testing.T) {
	for _, p := range programs {
		quick, done := muxmaster.New(), muxmaster.New()
		p.quick(quick)
		p.done(done)
		list := inspect.Compare(p.before(), quick, inspect.Requests(quick))
		if !slices.ContainsFunc(list, func(d inspect.Difference) bool { return d.String() == p.first }) || list[0].Kind != inspect.LostLogin {
			t.Errorf("%s: without %s: %v", p.router, p.first, list[:min(len(list), 20)])
		}
		for _, d := range inspect.Compare(p.before(), done, inspect.Requests(done)) {
			automatic := d.Request.Method == "HEAD" || d.Request.Method == "OPTIONS" // responses without a route of their own
			escaped := strings.Contains(d.Request.RequestURI, "%")                   // routers decode at different times
			if d.Kind <= inspect.LostRoute && !automatic && !escaped {
				t.Errorf("%s, in the result: %v", p.router, d)
			}
		}
	}
}
