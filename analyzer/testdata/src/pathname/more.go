package main

import (
	"context"
	"net/http"
	"slices"

	. "github.com/seed-1954dcaa/muxmaster"
)

// An app has routers in fields, one of them embedded.
type app struct {
	*Mux
	api *Group
}

func init() {
	a := &app{Mux: New()}
	a.api = a.Mux.Group("/orgs/:org")
	a.routes()
	a.GET("/embedded/:id", genericHandler[int])
	a.GET("/chain/:x", chain(tenant(behindTenant)))
	a.Handle("/strip/{x}/", http.StripPrefix("/strip", stripped()))
	a.Handle("/wrapped/{x}/", wrap(wrappedMux()))
	http.ListenAndServe(":0", a)
}

func (a *app) routes() {
	g := a.api.With(middleware)
	g.GET("/teams/:team", func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("org"), r.PathValue("team"))
		q := r
		use(q.PathValue("teams")) // want `did you mean "team"\?`
		q2 := r.WithContext(context.Background())
		use(q2.PathValue("ogr"))            // want `did you mean "org"\?`
		use(PathParams(r).Get("name"))      // want `they have \["org" "team"\]`
		ps := slices.Clone(PathParams(r))   // of this request
		use(ps.Get("repo"), ps.Get("team")) // want `no route of this handler has a path parameter "repo"`
	})
	a.GETFast("/fast/:symbol", func(w http.ResponseWriter, r *http.Request, ps Params) {
		copied := slices.Clone(ps)
		go func() { use(copied.Get("symbo")) }() // want `did you mean "symbol"\?`
		inFast(ps)
	})
}

func inFast(ps Params) string { return ps.Get("price") } // want `they have \["symbol"\]`

func genericHandler[T any](w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("nope")) // want `they have \["id"\]`
}

func chain(h http.HandlerFunc) http.HandlerFunc { return h }

func tenant(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("tenant")) // want `they have \["x"\]`
		h(w, r)
	}
}

func behindTenant(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("y")) // want `no route of this handler has a path parameter "y"; they have \["x"\]`
}

// No reports below: the routes of a mux also get the values of outer routes.

func stripped() http.Handler {
	m := New()
	m.GET("/:y/z", func(w http.ResponseWriter, r *http.Request) { use(r.PathValue("x"), r.PathValue("y")) })
	return m
}

func wrappedMux() *Mux {
	m := New()
	m.GET("/wrapped/:a/:y", func(w http.ResponseWriter, r *http.Request) { use(r.PathValue("x"), r.PathValue("y")) })
	other := m
	return other
}

func wrap(h http.Handler) http.Handler { return h }

func aliases(w http.ResponseWriter, r *http.Request) {
	q := r
	if r.Method == "GET" {
		q, _ = http.NewRequest("GET", "/", nil)
	}
	use(q.PathValue("other"))
}

func init() { http.HandleFunc("/aliases", aliases) }
