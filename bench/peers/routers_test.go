package peers

import (
	"net/http"
	"strings"

	"github.com/alexedwards/flow"
	"github.com/bmizerany/pat"
	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/adaptor"
	"github.com/husobee/vestigo"
	"github.com/kataras/muxie"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
)

// A router is the router of a file in testdata/routers.
type router struct {
	contender.Router
	rest string // the router's name for a catch-all without a name
}

// rest is the name in the cases for a catch-all without a name.
const rest = "rest"

// routers maps the names of the files to functions that return new routers:
// contenders of the benchmarks, and some others.
var routers = map[string]func() router{
	"beego":       like("beego"),
	"bone":        like("bone"),
	"bunrouter":   like("bunrouter"),
	"chi":         like("chi"),
	"echo":        like("echo"),
	"fiber":       newFiber,
	"flow":        newFlow,
	"fox":         like("fox"),
	"gin":         like("gin"),
	"goji":        like("goji v2"),
	"gorestful":   like("go-restful"),
	"gorilla":     like("gorilla/mux"),
	"httprouter":  like("httprouter"),
	"httptreemux": like("httptreemux"),
	"macaron":     like("macaron"),
	"muxie":       newMuxie,
	"pat":         newPat,
	"vestigo":     newVestigo,
}

// like returns a function that returns routers of a contender.
func like(name string) func() router {
	return func() router {
		c, err := contender.Named(name)
		if err != nil {
			panic(err)
		}
		r := c.New(0)
		if engine, ok := r.Handler.(*gin.Engine); ok {
			engine.HandleMethodNotAllowed = false // the default
		}
		return router{r, c.Splat}
	}
}

func newFiber() router {
	m := fiber.New()
	return router{contender.Router{Handler: adaptor.FiberApp(m), Add: func(method, path string, h *contender.Handler) {
		m.Add([]string{method}, path, func(c fiber.Ctx) error {
			h.Hit(func(n string) string { return c.Params(n) })
			return nil
		})
	}}, "*"}
}

func newFlow() router {
	m := flow.New()
	return router{contender.Router{Handler: m, Add: func(method, path string, h *contender.Handler) {
		m.HandleFunc(path, func(_ http.ResponseWriter, r *http.Request) { h.Hit(r.PathValue) }, method)
	}}, "..."}
}

func newMuxie() router {
	m := muxie.NewMux()
	return router{contender.Router{Handler: m, Add: func(_, path string, h *contender.Handler) {
		m.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			h.Hit(func(n string) string { return muxie.GetParam(w, n) })
		})
	}}, ""}
}

func newPat() router {
	m := pat.New()
	return router{contender.Router{Handler: m, Add: func(method, path string, h *contender.Handler) {
		m.Add(method, path, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			h.Hit(func(n string) string {
				if n == rest && strings.HasSuffix(path, "/") {
					return pat.Tail(path, r.URL.Path)
				}
				return r.URL.Query().Get(":" + n)
			})
		}))
	}}, ""}
}

func newVestigo() router {
	m := vestigo.NewRouter()
	return router{contender.Router{Handler: m, Add: func(method, path string, h *contender.Handler) {
		m.Add(method, path, func(_ http.ResponseWriter, r *http.Request) {
			h.Hit(func(n string) string { return vestigo.Param(r, n) })
		})
	}}, "_name"}
}

// restless lists routers without access to the value of a catch-all without a
// name.
var restless = map[string]bool{"bone": true, "goji": true}
