package guard

import (
	"net/http"
	"os"

	"github.com/seed-1954dcaa/muxmaster"
)

func login(next http.Handler) http.Handler                            { return next }
func fastLogin(next muxmaster.FastHandler) muxmaster.FastHandler      { return next }
func h(w http.ResponseWriter, r *http.Request)                        {}
func fast(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) {}

func kinds() {
	mux := muxmaster.New()
	mux.UseFast(fastLogin)
	mux.GETFast("/fast", fast)
	mux.GET("/plain", h) // want `this registration panics: a plain route would bypass the middleware of UseFast at guard.go:\d+`
	api := mux.Group("/api")
	api.Handle("/plain", http.HandlerFunc(h)) // want `this registration panics: a plain route`
	api.GETFast("/fast", fast)
}

func otherKinds(g *muxmaster.Group) {
	g.Use(login)
	g.GET("/plain", h)
	g.GETFast("/fast", fast) // want `this registration panics: a fast route would bypass the middleware of Use`
}

func branches(on, fastOnly bool) {
	mux := muxmaster.New()
	mux.Use(login)
	if on {
		mux.GETFast("/fast", fast) // want `this registration panics: a fast route`
	}
	if on {
		g := mux.Group("/g")
		g.UseFast(fastLogin)
		g.GET("/plain", h) // want `this registration panics: a plain route`
	}
}

func files() {
	mux := muxmaster.New()
	files := http.FileServerFS(os.DirFS("public"))
	mux.Handle("/", files)
	mux.Handle("/.git/", http.NotFoundHandler())      // want `this guard stands beside the file server of "/" at guard.go:\d+`
	mux.With(login).Handle("/private/", files)        // want `put the guard around the whole file server`
	mux.Handle("GET /secret/{path...}", login(files)) // want `put the guard`
	mux.GET("/hidden/*path", http.NotFound)           // want `put the guard`
	wrap := login
	mux.Handle("/wrapped/", wrap(files)) // want `put the guard`
}

func mounted() {
	mux := muxmaster.New()
	mux.Mount("/files", http.StripPrefix("/files", http.FileServer(http.Dir("public"))))
	mux.Mount("/files/private", login(http.StripPrefix("/files", http.FileServer(http.Dir("public"))))) // want `put the guard`
}

// No reports below.

func right() {
	mux := muxmaster.New()
	mux.Handle("/", http.FileServerFS(os.DirFS("public")))
	mux.Handle("/static/", http.FileServerFS(os.DirFS("static"))) // other files
	mux.With(login).GET("/api/users", h)
	mux.With(login).Handle("/api/", http.HandlerFunc(h))
	mux.Handle("/favicon.ico", http.NotFoundHandler())

	other := muxmaster.New()
	other.Handle("/.git/", http.NotFoundHandler())

	all := muxmaster.New()
	all.With(login).Handle("/files/", http.FileServerFS(os.DirFS("public")))
	all.With(login).Handle("/files/more/", http.FileServerFS(os.DirFS("public")))
}

func rightKinds() {
	mux := muxmaster.New()
	g := mux.Group("/fast")
	g.UseFast(fastLogin)
	g.GETFast("/x", fast)
	mux.GET("/plain", h)
	other := mux.Group("")
	other.Use(login)
	other.GET("/plain/x", h)
	mux.GETFast("/fast/y", fast)
}

func rightBranches(on bool, list []func(http.Handler) http.Handler) {
	mux := muxmaster.New()
	for range list {
		if on {
			mux.UseFast(fastLogin)
		} else {
			mux.Use(login)
		}
	}
	switch {
	case on:
		mux.GETFast("/x", fast)
	default:
		mux.GET("/y", h)
	}
	register(mux, on)
}

func register(mux *muxmaster.Mux, on bool) {
	if on {
		mux.GETFast("/z", fast)
	} else {
		mux.GET("/z", h)
	}
}

func elseIf(a, b bool) {
	mux := muxmaster.New()
	if a {
		mux.GETFast("/a", fast)
	} else if b {
		mux.Use(login)
		mux.GET("/b", h)
	}
}

func useRoute() {
	mux := muxmaster.New()
	mux.UseRoute(func(_ muxmaster.Route, next http.Handler) http.Handler { return next })
	mux.GETFast("/x", fast)               // want `this registration panics: a fast route would bypass the middleware of UseRoute`
	mux.Host("a.com").GETFast("/y", fast) // want `a fast route would bypass the middleware of UseRoute`
}
