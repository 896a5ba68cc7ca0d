// Package handler has handlers that defeat guarantees of the router.
package handler

import (
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

func user(w http.ResponseWriter, r *http.Request)         {}
func create(w http.ResponseWriter, r *http.Request) error { return nil }

func timeouts() http.Handler {
	mux := muxmaster.New()
	mux.PoolRequestBundle = true
	mux.Use(func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, time.Second, "") // want `the routes under this middleware are pooled`
	})
	mux.With(limited).GET("/a", user)
	mux.With(limit(time.Second)).GET("/b", user)
	mux.Handle("GET /c", http.TimeoutHandler(http.HandlerFunc(user), time.Second, "")) // want `http.TimeoutHandler returns while the handler still runs, and this route is pooled: the handler may read another request's path values; use middleware.Timeout, or put http.TimeoutHandler around the Mux`
	slow := http.TimeoutHandler(http.HandlerFunc(user), time.Second, "")               // want `this route is pooled`
	mux.Group("/g").Handle("GET /d", slow)
	mux.GET("/e", http.TimeoutHandler(http.HandlerFunc(user), time.Second, "").ServeHTTP) // want `this route is pooled`
	return http.TimeoutHandler(mux, time.Minute, "")
}

func limited(next http.Handler) http.Handler {
	return http.TimeoutHandler(next, time.Second, "") // want `middleware are pooled`
}

func limit(d time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, d, "") // want `middleware are pooled`
	}
}

func unpooled() {
	mux := muxmaster.New()
	mux.PoolRequestBundle = false
	mux.Handle("GET /a", http.TimeoutHandler(http.HandlerFunc(user), time.Second, ""))
	pooled := muxmaster.New()
	pooled.PoolRequestBundle = true
	pooled.GET("/a", user)
	std := http.NewServeMux()
	std.Handle("GET /a", http.TimeoutHandler(http.HandlerFunc(user), time.Second, ""))
}

func mw(next http.Handler) http.Handler { return next }

type app struct{ mux *muxmaster.Mux }

func (a *app) routes() {
	a.mux = muxmaster.New()
	a.mux.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {}
	a.mux.Handle("POST /a", mw(muxmaster.HandlerFuncE(create)))                     // want `bypass Mux.ErrorHandler: register the HandlerFuncE itself, and pass the middleware to With`
	a.mux.POST("/b", muxmaster.HandlerFuncE(create).ServeHTTP)                      // want `the errors of this HandlerFuncE bypass Mux.ErrorHandler: register the HandlerFuncE itself, with Handle or Method`
	a.mux.POST("/c", mw(mw(muxmaster.HandlerFuncE(create))).ServeHTTP)              // want `bypass`
	a.mux.Handle("POST /d", http.StripPrefix("/x", muxmaster.HandlerFuncE(create))) // want `bypass`
	f := muxmaster.HandlerFuncE(create)
	a.mux.Handle("POST /e", mw(mw(f))) // want `bypass`
	wrapped := mw(f)                   // want `bypass`
	a.mux.Handle("POST /f", wrapped)
	var h http.Handler = muxmaster.HandlerFuncE(create)
	a.mux.Handle("POST /g", mw(h)) // want `bypass`

	a.mux.Method("POST,PUT", "/h", mw(f)) // want `bypass`
	a.group(a.mux)

	a.mux.Method("POST,PUT", "/q", f)
	a.mux.Handle("POST /r", muxmaster.HandlerFuncE(create))
	a.mux.Handle("POST /s", f)
	a.mux.Handle("POST /t", h)
	a.mux.With(mw).Handle("POST /u", f)
	a.mux.Handle("POST /v", mw(http.HandlerFunc(user)))
}

func (a *app) group(r muxmaster.Router) {
	r.Method("POST", "/i", mw(muxmaster.HandlerFuncE(create))) // want `bypass`
}

// Without an ErrorHandler nothing is bypassed.
func plain() {
	mux := muxmaster.New()
	mux.Handle("POST /a", mw(muxmaster.HandlerFuncE(create)))
}
