package contender

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/beego/beego/v2/core/logs"
	"github.com/beego/beego/v2/server/web"
	beegocontext "github.com/beego/beego/v2/server/web/context"
	"github.com/dimfeld/httptreemux/v5"
	"github.com/emicklei/go-restful/v3"
	"github.com/fox-toolkit/fox"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/go-zoo/bone"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v5"
	"github.com/uptrace/bunrouter"
	"goji.io"
	"goji.io/pat"
	"goji.io/pattern"
	"gopkg.in/macaron.v1"

	"github.com/seed-1954dcaa/muxmaster"
)

const (
	plainStyle  = "func(http.ResponseWriter, *http.Request)"
	valuesStyle = plainStyle + ", r.PathValue"
	paramsStyle = plainStyle + ", ParamsFromContext"
)

var (
	native = []Class{Native}
	stdlib = []Class{Stdlib}
	both   = []Class{Native, Stdlib}
)

// registry has all contenders: ours, and the others sorted by name.
var registry = slices.Concat(ours(), []Contender{
	{Name: "beego", Module: "github.com/beego/beego/v2", Classes: native, Style: "func(*context.Context)", New: newBeego, Param: ":%s", Rest: "*%.0s", Splat: "splat",
		NotStdlib: "web.Handler passes no parameters"},
	{Name: "bone", Module: "github.com/go-zoo/bone", Classes: both, Style: plainStyle + ", bone.GetValue", New: newBone, Param: ":%s", Rest: "*%.0s"},
	{Name: "bunrouter", Module: "github.com/uptrace/bunrouter", Classes: native, Style: "func(http.ResponseWriter, bunrouter.Request) error", New: newBunRouter},
	{Name: "bunrouter (compat)", Module: "github.com/uptrace/bunrouter", Classes: stdlib, Style: paramsStyle, New: newBunRouterCompat},
	{Name: "chi", Module: "github.com/go-chi/chi/v5", Classes: both, Style: plainStyle + ", chi.URLParam", New: newChi, Param: "{%s}", Rest: "*%.0s", Splat: "*"},
	{Name: "echo", Module: "github.com/labstack/echo/v5", Classes: native, Style: "func(*echo.Context) error", New: newEcho(echoHandler), Param: ":%s", Rest: "*%.0s", Splat: "*"},
	{Name: "echo (WrapHandler)", Module: "github.com/labstack/echo/v5", Classes: stdlib, Style: valuesStyle, DirtiesRequest: true,
		New: newEcho(func(h *Handler) echo.HandlerFunc { return echo.WrapHandler(pathValue(h)) }), Param: ":%s", Rest: "*%.0s", Splat: "*"},
	{Name: "fox", Module: "github.com/fox-toolkit/fox", Classes: native, Style: "func(*fox.Context)", New: newFox(foxHandler), Param: "{%s}", Rest: "+{%s}"},
	{Name: "fox (WrapF)", Module: "github.com/fox-toolkit/fox", Classes: stdlib, Style: paramsStyle, New: newFox(foxPlain), Param: "{%s}", Rest: "+{%s}"},
	{Name: "gin", Module: "github.com/gin-gonic/gin", Classes: native, Style: "func(*gin.Context)", New: newGin, NotStdlib: "gin.WrapF hands on no parameters"},
	{Name: "go-restful", Module: "github.com/emicklei/go-restful/v3", Classes: native, Style: "func(*restful.Request, *restful.Response)", New: newGoRestful,
		Param: "{%s}", Rest: "{%s:*}", NotStdlib: "its handlers take *restful.Request"},
	{Name: "goji v2", Module: "goji.io", Classes: both, Style: plainStyle + ", pat.Param", New: newGoji, Param: ":%s", Rest: "*%.0s", Splat: "*"},
	{Name: "gorilla/mux", Module: "github.com/gorilla/mux", Classes: both, Style: plainStyle + ", mux.Vars", New: newGorilla, Param: "{%s}", Rest: "{%s:.*}"},
	{Name: "http.ServeMux", Classes: both, Style: plainStyle, New: newServeMux, Param: "{%s}", Rest: "{%s...}"},
	{Name: "httprouter", Module: "github.com/julienschmidt/httprouter", Classes: native, Style: "func(http.ResponseWriter, *http.Request, httprouter.Params)", New: newHTTPRouter},
	{Name: "httprouter (HandlerFunc)", Module: "github.com/julienschmidt/httprouter", Classes: stdlib, Style: paramsStyle, New: newHTTPRouterPlain},
	{Name: "httptreemux", Module: "github.com/dimfeld/httptreemux/v5", Classes: native, Style: "func(http.ResponseWriter, *http.Request, map[string]string)", New: newHTTPTreeMux},
	{Name: "httptreemux (ContextMux)", Module: "github.com/dimfeld/httptreemux/v5", Classes: stdlib, Style: plainStyle + ", ContextParams", New: newHTTPTreeMuxContext},
	{Name: "macaron", Module: "gopkg.in/macaron.v1", Classes: native, Style: "func(*macaron.Context)", New: newMacaron, Param: ":%s", Rest: "*%.0s", Splat: "*",
		NotStdlib: "it hands parameters on in *macaron.Context only"},
	{Name: "no router", Classes: []Class{Floor}, Style: plainStyle + ", called directly"},
})

func init() {
	web.BConfig.RunMode = web.PROD
	logs.GetBeeLogger().Close() // don't log requests
	gin.SetMode(gin.ReleaseMode)
	macaron.Env = macaron.PROD
}

func ours() []Contender {
	if Safe {
		return []Contender{Muxmaster("muxmaster safe", false, false)}
	}
	return []Contender{Muxmaster("muxmaster", false, false), Muxmaster("muxmaster fast", false, true),
		Muxmaster("muxmaster fast pooled", true, true), Muxmaster("muxmaster pooled", true, false)}
}

// Muxmaster returns a contender of ours.
func Muxmaster(name string, pooled, fast bool) Contender {
	c := Contender{
		Name: name, Module: "github.com/seed-1954dcaa/muxmaster", Classes: []Class{Native, Stdlib}, Ours: true,
		Style:          valuesStyle,
		DirtiesRequest: Safe, // SetPathValue leaves values in the request
		New:            func(middleware int) Router { return newMuxmaster(middleware, pooled, fast) },
	}
	if fast {
		c.Classes, c.Style = []Class{Native}, "func(http.ResponseWriter, *http.Request, muxmaster.Params)"
	}
	return c
}

func newMuxmaster(middleware int, pooled, fast bool) Router {
	mux := muxmaster.New()
	mux.PoolRequestBundle = pooled
	mux.PoolFastParams = pooled
	if fast {
		mux.UseFast(times(middleware, muxmasterPassOn)...)
	} else {
		mux.Use(times(middleware, passOn)...)
	}
	handle := map[string]func(string, muxmaster.FastHandler){
		"GET": mux.GETFast, "POST": mux.POSTFast, "PUT": mux.PUTFast, "DELETE": mux.DELETEFast,
	}
	return Router{mux, func(method, pattern string, h *Handler) {
		if !fast {
			mux.Method(method, pattern, pathValue(h))
			return
		}
		handle[method](pattern, muxmasterFast(h))
	}, nil}
}

func muxmasterFast(h *Handler) muxmaster.FastHandler {
	nothing := func(http.ResponseWriter, *http.Request, muxmaster.Params) {}
	return pick(h, nothing, func(name string) (read, write, report func(http.ResponseWriter, *http.Request, muxmaster.Params)) {
		return func(_ http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { use(ps.Get(name)) },
			func(w http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { io.WriteString(w, ps.Get(name)) },
			func(_ http.ResponseWriter, _ *http.Request, ps muxmaster.Params) { h.Hit(ps.Get) }
	})
}

var muxmasterPassOn muxmaster.FastMiddleware = func(next muxmaster.FastHandler) muxmaster.FastHandler {
	return func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) { next(w, r, ps) }
}

func newServeMux(middleware int) Router {
	mux := http.NewServeMux()
	return Router{wrap(mux, middleware), func(method, pattern string, h *Handler) {
		if strings.HasSuffix(pattern, "/") {
			pattern += "{$}"
		}
		mux.HandleFunc(method+" "+pattern, pathValue(h))
	}, nil}
}

// loadFloor does no routing. Every request gets the same handler, which writes
// a constant of the same length as the values.
func loadFloor(s Spec) http.Handler {
	var h http.Handler = http.HandlerFunc(returnAtOnce)
	if s.Work == Write {
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/some/page" {
				io.WriteString(w, "123")
			}
		})
	}
	return wrap(h, s.Middleware)
}

func newBeego(middleware int) Router {
	router := web.NewControllerRegister()
	for range middleware {
		router.InsertFilterChain("/*", func(next web.FilterFunc) web.FilterFunc {
			return func(c *beegocontext.Context) { next(c) }
		})
	}
	return Router{router, func(method, pattern string, h *Handler) {
		router.AddMethod(method, pattern, pick[web.HandleFunc](h, func(*beegocontext.Context) {}, func(name string) (read, write, report web.HandleFunc) {
			key := ":" + name
			return func(c *beegocontext.Context) { use(c.Input.Param(key)) },
				func(c *beegocontext.Context) { io.WriteString(c.ResponseWriter, c.Input.Param(key)) },
				func(c *beegocontext.Context) { h.Hit(func(name string) string { return c.Input.Param(":" + name) }) }
		}))
	}, router.Init}
}

func newBone(middleware int) Router {
	mux := bone.New()
	return Router{wrap(mux, middleware), func(method, pattern string, h *Handler) {
		mux.Register(method, pattern, http.HandlerFunc(plainWith(h, bone.GetValue)))
	}, nil}
}

func newBunRouter(middleware int) Router {
	router := bunrouter.New(bunrouter.Use(times(middleware, bunrouterPassOn)...))
	nothing := func(http.ResponseWriter, bunrouter.Request) error { return nil }
	return Router{router, func(method, pattern string, h *Handler) {
		router.Handle(method, pattern, pick[bunrouter.HandlerFunc](h, nothing, func(name string) (read, write, report bunrouter.HandlerFunc) {
			return func(_ http.ResponseWriter, r bunrouter.Request) error { use(r.Param(name)); return nil },
				func(w http.ResponseWriter, r bunrouter.Request) error {
					_, err := io.WriteString(w, r.Param(name))
					return err
				},
				func(_ http.ResponseWriter, r bunrouter.Request) error { h.Hit(r.Param); return nil }
		}))
	}, nil}
}

var bunrouterPassOn bunrouter.MiddlewareFunc = func(next bunrouter.HandlerFunc) bunrouter.HandlerFunc {
	return func(w http.ResponseWriter, r bunrouter.Request) error { return next(w, r) }
}

func newBunRouterCompat(middleware int) Router {
	router := bunrouter.New(bunrouter.Use(times(middleware, bunrouterPassOn)...)).Compat()
	return Router{router, func(method, pattern string, h *Handler) {
		router.Handle(method, pattern, plainWith(h, func(r *http.Request, name string) string {
			return bunrouter.ParamsFromContext(r.Context()).ByName(name)
		}))
	}, nil}
}

func newChi(middleware int) Router {
	router := chi.NewRouter()
	router.Use(times(middleware, passOn)...)
	return Router{router, func(method, pattern string, h *Handler) {
		router.MethodFunc(method, pattern, plainWith(h, chi.URLParam))
	}, nil}
}

func newEcho(handler func(*Handler) echo.HandlerFunc) func(middleware int) Router {
	return func(middleware int) Router {
		e := echo.New()
		e.Use(times[echo.MiddlewareFunc](middleware, func(next echo.HandlerFunc) echo.HandlerFunc {
			return func(c *echo.Context) error { return next(c) }
		})...)
		return Router{e, func(method, pattern string, h *Handler) { e.Add(method, pattern, handler(h)) }, nil}
	}
}

func echoHandler(h *Handler) echo.HandlerFunc {
	return pick(h, func(*echo.Context) error { return nil }, func(name string) (read, write, report func(*echo.Context) error) {
		return func(c *echo.Context) error { use(c.Param(name)); return nil },
			func(c *echo.Context) error {
				_, err := io.WriteString(c.Response(), c.Param(name))
				return err
			},
			func(c *echo.Context) error { h.Hit(c.Param); return nil }
	})
}

func newFox(handler func(*Handler) fox.HandlerFunc) func(middleware int) Router {
	return func(middleware int) Router {
		passOn := func(next fox.HandlerFunc) fox.HandlerFunc { return func(c *fox.Context) { next(c) } }
		router := fox.MustRouter(fox.WithNoMethod(true), fox.WithAllowRegexpParam(true),
			fox.WithMiddleware(times[fox.MiddlewareFunc](middleware, passOn)...))
		// fox's documentation recommends one transaction for many routes.
		txn := router.Txn(true)
		return Router{router, func(method, pattern string, h *Handler) {
			if _, err := txn.Add([]string{method}, pattern, handler(h)); err != nil {
				panic(err)
			}
		}, txn.Commit}
	}
}

func foxHandler(h *Handler) fox.HandlerFunc {
	return pick(h, func(*fox.Context) {}, func(name string) (read, write, report func(*fox.Context)) {
		return func(c *fox.Context) { use(c.Param(name)) },
			func(c *fox.Context) { io.WriteString(c.Writer(), c.Param(name)) },
			func(c *fox.Context) { h.Hit(c.Param) }
	})
}

func foxPlain(h *Handler) fox.HandlerFunc {
	return fox.WrapF(plainWith(h, func(r *http.Request, name string) string { return fox.ParamsFromContext(r.Context()).Get(name) }))
}

func newGin(middleware int) Router {
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.Use(times[gin.HandlerFunc](middleware, func(c *gin.Context) { c.Next() })...)
	return Router{engine, func(method, pattern string, h *Handler) {
		engine.Handle(method, pattern, pick(h, func(*gin.Context) {}, func(name string) (read, write, report func(*gin.Context)) {
			return func(c *gin.Context) { use(c.Param(name)) },
				func(c *gin.Context) { io.WriteString(c.Writer, c.Param(name)) },
				func(c *gin.Context) { h.Hit(c.Param) }
		}))
	}, nil}
}

func newGoji(middleware int) Router {
	mux := goji.NewMux()
	for range middleware {
		mux.Use(passOn)
	}
	return Router{mux, func(method, path string, h *Handler) {
		mux.HandleFunc(pat.NewWithMethods(path, method), plainWith(h, gojiValue))
	}, nil}
}

// gojiValue returns a value like pat.Param, or the rest of the path for "*".
func gojiValue(r *http.Request, name string) string {
	if name == "*" {
		return pattern.Path(r.Context())
	}
	value, _ := r.Context().Value(pattern.Variable(name)).(string)
	return value
}

func newGoRestful(middleware int) Router {
	container := restful.NewContainer()
	container.Router(restful.CurlyRouter{})
	for range middleware {
		container.Filter(func(r *restful.Request, w *restful.Response, chain *restful.FilterChain) {
			chain.ProcessFilter(r, w)
		})
	}
	service := new(restful.WebService)
	nothing := func(*restful.Request, *restful.Response) {}
	return Router{container, func(method, pattern string, h *Handler) {
		service.Route(service.Method(method).Path(pattern).To(pick[restful.RouteFunction](h, nothing, func(name string) (read, write, report restful.RouteFunction) {
			return func(r *restful.Request, _ *restful.Response) { use(r.PathParameter(name)) },
				func(r *restful.Request, w *restful.Response) { io.WriteString(w, r.PathParameter(name)) },
				func(r *restful.Request, _ *restful.Response) { h.Hit(r.PathParameter) }
		})))
	}, func() { container.Add(service) }}
}

func newGorilla(middleware int) Router {
	router := mux.NewRouter()
	router.Use(times[mux.MiddlewareFunc](middleware, passOn)...)
	return Router{router, func(method, pattern string, h *Handler) {
		router.HandleFunc(pattern, plainWith(h, func(r *http.Request, name string) string { return mux.Vars(r)[name] })).Methods(method)
	}, nil}
}

func newHTTPRouter(middleware int) Router {
	router := httprouter.New()
	nothing := func(http.ResponseWriter, *http.Request, httprouter.Params) {}
	return Router{router, func(method, pattern string, h *Handler) {
		handle := pick[httprouter.Handle](h, nothing, func(name string) (read, write, report httprouter.Handle) {
			return func(_ http.ResponseWriter, _ *http.Request, ps httprouter.Params) { use(ps.ByName(name)) },
				func(w http.ResponseWriter, _ *http.Request, ps httprouter.Params) { io.WriteString(w, ps.ByName(name)) },
				func(_ http.ResponseWriter, _ *http.Request, ps httprouter.Params) { h.Hit(ps.ByName) }
		})
		for range middleware {
			next := handle
			handle = func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) { next(w, r, ps) }
		}
		router.Handle(method, pattern, handle)
	}, nil}
}

func newHTTPRouterPlain(middleware int) Router {
	router := httprouter.New()
	return Router{router, func(method, pattern string, h *Handler) {
		handler := plainWith(h, func(r *http.Request, name string) string {
			return httprouter.ParamsFromContext(r.Context()).ByName(name)
		})
		router.Handler(method, pattern, wrap(http.HandlerFunc(handler), middleware))
	}, nil}
}

func newHTTPTreeMux(middleware int) Router {
	router := httptreemux.New()
	for range middleware {
		router.UseHandler(passOn)
	}
	nothing := func(http.ResponseWriter, *http.Request, map[string]string) {}
	return Router{router, func(method, pattern string, h *Handler) {
		router.Handle(method, pattern, pick[httptreemux.HandlerFunc](h, nothing, func(name string) (read, write, report httptreemux.HandlerFunc) {
			return func(_ http.ResponseWriter, _ *http.Request, ps map[string]string) { use(ps[name]) },
				func(w http.ResponseWriter, _ *http.Request, ps map[string]string) { io.WriteString(w, ps[name]) },
				func(_ http.ResponseWriter, _ *http.Request, ps map[string]string) {
					h.Hit(func(name string) string { return ps[name] })
				}
		}))
	}, nil}
}

func newHTTPTreeMuxContext(middleware int) Router {
	router := httptreemux.NewContextMux()
	for range middleware {
		router.UseHandler(passOn)
	}
	return Router{router, func(method, pattern string, h *Handler) {
		router.Handle(method, pattern, plainWith(h, func(r *http.Request, name string) string {
			return httptreemux.ContextParams(r.Context())[name]
		}))
	}, nil}
}

func newMacaron(middleware int) Router {
	m := macaron.NewWithLogger(io.Discard)
	for range middleware {
		m.Use(func(c *macaron.Context) { c.Next() })
	}
	return Router{m, func(method, pattern string, h *Handler) {
		// Names can't contain underscores.
		segments := strings.Split(pattern, "/")
		for i, s := range segments {
			if strings.HasPrefix(s, ":") && strings.Count(s, ":") == 1 {
				segments[i] = strings.ReplaceAll(s, "_", "")
			}
		}
		handler := pick(h, func(*macaron.Context) {}, func(name string) (read, write, report func(*macaron.Context)) {
			key := macaronName(name)
			return func(c *macaron.Context) { use(c.Params(key)) },
				func(c *macaron.Context) { io.WriteString(c.Resp, c.Params(key)) },
				func(c *macaron.Context) { h.Hit(func(name string) string { return c.Params(macaronName(name)) }) }
		})
		m.Handle(method, strings.Join(segments, "/"), []macaron.Handler{handler})
	}, nil}
}

// macaronName returns the name with which macaron stores a value. That of a
// catch-all has no colon.
func macaronName(name string) string {
	if name == "*" {
		return name
	}
	return ":" + strings.ReplaceAll(name, "_", "")
}
