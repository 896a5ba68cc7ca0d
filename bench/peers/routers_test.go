package peers

import (
	"io"
	"net/http"
	"strings"

	"github.com/alexedwards/flow"
	"github.com/beego/beego/v2/server/web"
	"github.com/beego/beego/v2/server/web/context"
	"github.com/bmizerany/pat"
	"github.com/dimfeld/httptreemux/v5"
	restful "github.com/emicklei/go-restful/v3"
	"github.com/fox-toolkit/fox"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/go-zoo/bone"
	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/adaptor"
	"github.com/gorilla/mux"
	"github.com/husobee/vestigo"
	"github.com/julienschmidt/httprouter"
	"github.com/kataras/muxie"
	"github.com/labstack/echo/v5"
	"github.com/uptrace/bunrouter"
	goji "goji.io"
	gojipat "goji.io/pat"
	"gopkg.in/macaron.v1"
)

// A hit is called by every handler, with the number of its route and a function
// that returns the value of a parameter.
type hit func(route int, value func(name string) string)

// An add function registers a route. It panics if the router rejects it.
type add func(method, path string, route int)

// A router returns a new router of one kind, and its add function.
type router func(hit) (add, http.Handler)

// rest is the name in the cases for a catch-all without a name.
const rest = "rest"

// unnamed returns a function like value that uses the router's name for a
// catch-all without a name.
func unnamed(value func(string) string, name string) func(string) string {
	return func(n string) string {
		if n == rest {
			n = name
		}
		return value(n)
	}
}

// routers maps the names of the files to their routers.
var routers = map[string]router{
	"beego": func(hit hit) (add, http.Handler) {
		web.BConfig.RunMode = web.PROD
		m := web.NewControllerRegister()
		m.Init()
		return func(method, path string, route int) {
			m.AddMethod(method, path, func(c *context.Context) {
				hit(route, func(n string) string { return c.Input.Param(":" + n) })
				c.ResponseWriter.WriteHeader(http.StatusOK)
			})
		}, m
	},
	"bone": func(hit hit) (add, http.Handler) {
		m := bone.New()
		return func(method, path string, route int) {
			m.Register(method, path, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				hit(route, func(n string) string { return bone.GetValue(r, n) })
			}))
		}, m
	},
	"bunrouter": func(hit hit) (add, http.Handler) {
		m := bunrouter.New()
		return func(method, path string, route int) {
			m.Handle(method, path, func(_ http.ResponseWriter, r bunrouter.Request) error {
				hit(route, r.Param)
				return nil
			})
		}, m
	},
	"chi": func(hit hit) (add, http.Handler) {
		m := chi.NewRouter()
		return func(method, path string, route int) {
			m.MethodFunc(method, path, func(_ http.ResponseWriter, r *http.Request) {
				hit(route, unnamed(func(n string) string { return chi.URLParam(r, n) }, "*"))
			})
		}, m
	},
	"echo": func(hit hit) (add, http.Handler) {
		m := echo.New()
		return func(method, path string, route int) {
			m.Add(method, path, func(c *echo.Context) error {
				hit(route, unnamed(c.Param, "*"))
				return nil
			})
		}, m
	},
	"fiber": func(hit hit) (add, http.Handler) {
		m := fiber.New()
		return func(method, path string, route int) {
			m.Add([]string{method}, path, func(c fiber.Ctx) error {
				hit(route, unnamed(func(n string) string { return c.Params(n) }, "*"))
				return nil
			})
		}, adaptor.FiberApp(m)
	},
	"flow": func(hit hit) (add, http.Handler) {
		m := flow.New()
		return func(method, path string, route int) {
			m.HandleFunc(path, func(_ http.ResponseWriter, r *http.Request) { hit(route, unnamed(r.PathValue, "...")) }, method)
		}, m
	},
	"fox": func(hit hit) (add, http.Handler) {
		m := fox.MustRouter(fox.WithAllowRegexpParam(true))
		return func(method, path string, route int) {
			m.MustAdd([]string{method}, path, func(c *fox.Context) { hit(route, c.Param) })
		}, m
	},
	"gin": func(hit hit) (add, http.Handler) {
		gin.SetMode(gin.ReleaseMode)
		m := gin.New()
		return func(method, path string, route int) {
			m.Handle(method, path, func(c *gin.Context) { hit(route, c.Param) })
		}, m
	},
	"goji": func(hit hit) (add, http.Handler) {
		m := goji.NewMux()
		return func(method, path string, route int) {
			m.HandleFunc(gojipat.NewWithMethods(path, method), func(_ http.ResponseWriter, r *http.Request) {
				hit(route, func(n string) string { return gojipat.Param(r, n) })
			})
		}, m
	},
	"gorestful": func(hit hit) (add, http.Handler) {
		m := restful.NewContainer()
		m.Router(restful.CurlyRouter{})
		service := new(restful.WebService)
		m.Add(service)
		return func(method, path string, route int) {
			service.Route(service.Method(method).Path(path).To(func(r *restful.Request, _ *restful.Response) { hit(route, r.PathParameter) }))
		}, m
	},
	"gorilla": func(hit hit) (add, http.Handler) {
		m := mux.NewRouter()
		return func(method, path string, route int) {
			m.HandleFunc(path, func(_ http.ResponseWriter, r *http.Request) {
				hit(route, func(n string) string { return mux.Vars(r)[n] })
			}).Methods(method)
		}, m
	},
	"httprouter": func(hit hit) (add, http.Handler) {
		m := httprouter.New()
		return func(method, path string, route int) {
			m.Handle(method, path, func(_ http.ResponseWriter, _ *http.Request, ps httprouter.Params) { hit(route, ps.ByName) })
		}, m
	},
	"httptreemux": func(hit hit) (add, http.Handler) {
		m := httptreemux.New()
		return func(method, path string, route int) {
			m.Handle(method, path, func(_ http.ResponseWriter, _ *http.Request, ps map[string]string) {
				hit(route, func(n string) string { return ps[n] })
			})
		}, m
	},
	"macaron": func(hit hit) (add, http.Handler) {
		macaron.Env = macaron.PROD
		m := macaron.NewWithLogger(io.Discard)
		return func(method, path string, route int) {
			m.Handle(method, path, []macaron.Handler{func(c *macaron.Context) {
				hit(route, func(n string) string {
					if n == rest {
						return c.Params("*")
					}
					return c.Params(":" + n)
				})
			}})
		}, m
	},
	"muxie": func(hit hit) (add, http.Handler) {
		m := muxie.NewMux()
		return func(_, path string, route int) {
			m.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
				hit(route, func(n string) string { return muxie.GetParam(w, n) })
			})
		}, m
	},
	"pat": func(hit hit) (add, http.Handler) {
		m := pat.New()
		return func(method, path string, route int) {
			m.Add(method, path, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				hit(route, func(n string) string {
					if n == rest && strings.HasSuffix(path, "/") {
						return pat.Tail(path, r.URL.Path)
					}
					return r.URL.Query().Get(":" + n)
				})
			}))
		}, m
	},
	"vestigo": func(hit hit) (add, http.Handler) {
		m := vestigo.NewRouter()
		return func(method, path string, route int) {
			m.Add(method, path, func(_ http.ResponseWriter, r *http.Request) {
				hit(route, unnamed(func(n string) string { return vestigo.Param(r, n) }, "_name"))
			})
		}, m
	},
}

// restless lists routers without access to the value of a catch-all without a
// name.
var restless = map[string]bool{"bone": true, "goji": true}
