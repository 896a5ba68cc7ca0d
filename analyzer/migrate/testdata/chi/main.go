// A service with chi: groups, mounts, middleware, and routers as arguments.
package main

import (
	"context"
	"fmt"
	"net/http"

	"example.com/program/teams"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

type key struct{}

func main() {
	r := chi.NewRouter()
	r.Use(middleware.RequestID, middleware.Recoverer)
	r.Use(middleware.StripSlashes)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintln(w, "nothing here")
	})
	r.MethodNotAllowed(notAllowed)

	r.Get("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "root") })
	r.Get("/files/*", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "file", chi.URLParam(r, "*"))
	})
	r.Get("/notes:batch", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "batch") })
	r.Get("/notes/{id}:read", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "read", chi.URLParam(r, "id")) })
	r.With(header("X-One", "1")).Get("/one", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "one") })
	r.Handle("/any", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.Method) }))
	r.HandleFunc("GET /std/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "std", chi.URLParam(r, "id")) })
	r.Handle("POST /std/{id}", http.HandlerFunc(notAllowed))
	r.Method(http.MethodPut, "/put", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "put") }))
	r.MethodFunc("POST", "/post", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "post") })

	r.Group(func(r chi.Router) {
		r.Use(header("X-Private", "yes"))
		r.Get("/private", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "private") })
	})
	r.Route("/articles", articles)
	r.Mount("/admin", admin().router)
	r.Mount("/raw", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "raw", r.URL.Path) }))
	pages(r)
	r.Mount("/teams", teams.Routes())
	teams.Register(r, "/all")
	r.Route("/inner", func(r chi.Router) { teams.Register(r, "/all") })

	http.ListenAndServe(":3333", r)
}

func notAllowed(w http.ResponseWriter, r *http.Request) {
	http.Error(w, "not so", http.StatusMethodNotAllowed)
}

func header(name, value string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(name, value)
			next.ServeHTTP(w, r)
		})
	}
}

func articles(r chi.Router) {
	r.Get("/list", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "list") })
	r.Get("/{month:[0-9]{2}}-{day}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "date", chi.URLParam(r, "month"), chi.URLParam(r, "day"))
	})
	r.Route("/{id}", func(r chi.Router) {
		r.Use(article)
		r.Get("/view", func(w http.ResponseWriter, r *http.Request) {
			rctx := chi.RouteContext(r.Context())
			fmt.Fprintln(w, "view", r.Context().Value(key{}), rctx.RoutePattern(), rctx.URLParam("id"))
		})
		r.Delete("/view", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, "delete", chi.RouteContext(r.Context()).URLParam("id"))
		})
	})
}

func article(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), key{}, "article "+chi.URLParam(r, "id"))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

type adminPages struct{ router chi.Router }

// admin returns a new router.
func admin() *adminPages {
	p := &adminPages{router: chi.NewRouter()}
	p.router.Get("/accounts/{account}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "account", chi.URLParam(r, "account"))
	})
	return p
}

// pages registers routes on the outermost router.
func pages(r *chi.Mux) {
	r.Get("/pages/{page}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "page", chi.URLParam(r, "page")) })
}
