// Command names prints the names of middleware that is made in different
// places.
package main

import (
	"fmt"
	"iter"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/inspect/testdata/names/auth"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

type middlewareFunc = func(http.Handler) http.Handler

var m = muxmaster.New()

// show registers routes with the middleware, in order.
func show(list ...middlewareFunc) {
	for _, f := range list {
		m.With(f).GET(fmt.Sprintf("/%03d", count), handler(count))
		count++
	}
}

var count, served int

// served begins with a function that is inlined.
func serve(http.ResponseWriter, *http.Request) { add() }

func add() { served++ }

func handler(n int) http.HandlerFunc {
	return func(http.ResponseWriter, *http.Request) { served += n }
}

func requireLogin(role string) middlewareFunc {
	return func(next http.Handler) http.Handler { _ = role; return next }
}

func plain(next http.Handler) http.Handler { return next }

func inline(f func()) { f() }

func once() iter.Seq[int] { return func(yield func(int) bool) { yield(1) } }

type app struct{ auth *auth.Auth }

func (a *app) routes() {
	show(requireLogin("x"), auth.Login("x"), a.auth.Login("x"), a.auth.Check, middleware.Timeout(1e9))
	func() { show(requireLogin("x"), auth.Login("x"), a.auth.Login("x")) }()
}

func generic[T any](T) {
	show(requireLogin("x"), auth.Login("x"))
	inline(func() { show(requireLogin("x"), auth.Login("x")) })
}

var global, inGlobal = requireLogin("x"), func() middlewareFunc { return requireLogin("x") }()

func main() {
	a, of := &auth.Auth{}, &auth.Of[int]{}
	show(plain, auth.Check, auth.Global, global, inGlobal)
	show(requireLogin("x"), auth.Login("x"), auth.New("x"), auth.For(1), auth.Deep("x"), a.Login("x"), of.Login(1))
	func() {
		show(requireLogin("x"), auth.Login("x"), auth.New("x"), auth.For(1), auth.Deep("x"), a.Login("x"), of.Login(1))
	}()
	inline(func() {
		show(requireLogin("x"), auth.Login("x"), auth.New("x"), auth.For(1), auth.Deep("x"), a.Login("x"), of.Login(1))
		inline(func() { show(requireLogin("x"), auth.Login("x"), auth.Deep("x"), a.Login("x")) })
	})
	for range once() {
		show(requireLogin("x"), auth.Login("x"), auth.Deep("x"), func(next http.Handler) http.Handler { return next })
	}
	(&app{a}).routes()
	generic(1)
	m.Route("/z", func(g *muxmaster.Group) {
		g.Use(auth.Login("x"))
		g.GET("/", serve)
	})
	for _, r := range inspect.Examine(m) {
		fmt.Println(inspect.ShortName(r.Handler), inspect.ShortName(r.Middleware[0]))
	}
}
