package main

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

func main() {
	r := chi.NewRouter()
	r.Use(middleware.GetHead)                          // left: GetHead works only with chi's routing
	r.Use(middleware.StripSlashes, middleware.NoCache) // left: pass it to Use alone
	r.Get("/ok/{id}", get)
	r.With(middleware.StripSlashes).Get("/with", get) // left: StripSlashes works only before routing
	r.HandleFunc("GET /pattern/{id}", get)
	r.Handle("post /pattern/{id}", http.HandlerFunc(get))
	r.Get("/pattern/{name}", get) // left: registers the same route
	r.Get("/a*", get)             // left: a catch-all only after a slash
	r.Get("/{rest}/x/*", get)     // left: the catch-all would be named {rest...}, but another parameter has this name
	r.Get(path(), get)            // left: this path is computed at run time
	r.Mount("/admin", http.StripPrefix("/admin", http.Handler(admin())))
	r.Mount("/wrapped", middleware.NoCache(admin())) // left: mount the router itself
	g := r.Group(nil)                                // left: Group returns nothing in muxmaster
	g.Get("/x", get)
	chi.Walk(r, nil) // left: Walk: range over Mux.Routes()
	http.ListenAndServe(":3333", r)
}

func path() string { return "/x" }

func admin() *chi.Mux { return chi.NewMux() }

func get(w http.ResponseWriter, r *http.Request) {
	rctx := chi.RouteContext(r.Context())               // left: RouteContext: use r.PathValue(name)
	_ = rctx.URLParams                                  // left: URLParams
	_ = chi.URLParamFromCtx(context.Background(), "id") // left: URLParamFromCtx
}
