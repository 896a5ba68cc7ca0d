package compare

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/fox-toolkit/fox"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/adaptor"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v5"
	"github.com/seed-1954dcaa/muxmaster"
	"github.com/uptrace/bunrouter"
)

// A route has a path with parameters in braces, such as "/a/{id}", and optionally
// a host.
type route struct{ method, host, path string }

// A router is one column of the table.
type router struct {
	name    string
	module  string // in go.mod; "" for this repository or the standard library
	handler string // type of its handlers
	values  string // how a plain http.Handler reads a value

	// expression is the router's syntax for a parameter named id that matches
	// only digits, or "".
	expression string

	// load registers the routes in order. Handlers respond with the route's path,
	// a space, and the value of id.
	load func(routes []route) http.Handler
}

var brace = regexp.MustCompile(`\{(\w+)\}`)

// colons rewrites "/a/{id}" to "/a/:id".
func colons(path string) string { return brace.ReplaceAllString(path, ":$1") }

func answer(w io.Writer, r route, id string) { fmt.Fprint(w, r.path, " ", id) }

// noHosts panics if a route has a host.
func noHosts(routes []route) {
	for _, r := range routes {
		if r.host != "" {
			panic("no hosts")
		}
	}
}

// withPatterns adds the routes to a router with patterns like http.ServeMux's.
func withPatterns(m interface {
	http.Handler
	HandleFunc(string, func(http.ResponseWriter, *http.Request))
}, routes []route) http.Handler {
	for _, r := range routes {
		m.HandleFunc(r.method+" "+r.host+r.path, func(w http.ResponseWriter, q *http.Request) { answer(w, r, q.PathValue("id")) })
	}
	return m
}

var routers = []router{
	{
		name: "muxmaster", handler: "`http.Handler`", values: "`r.PathValue`", expression: "{id:[0-9]+}",
		load: func(routes []route) http.Handler { return withPatterns(muxmaster.New(), routes) },
	},
	{
		name: "http.ServeMux", handler: "`http.Handler`", values: "`r.PathValue`",
		load: func(routes []route) http.Handler { return withPatterns(http.NewServeMux(), routes) },
	},
	{
		name: "chi", module: "github.com/go-chi/chi/v5", handler: "`http.Handler`", values: "`r.PathValue`, `chi.URLParam`", expression: "{id:[0-9]+}",
		load: func(routes []route) http.Handler {
			noHosts(routes)
			m := chi.NewRouter()
			for _, r := range routes {
				m.MethodFunc(r.method, r.path, func(w http.ResponseWriter, q *http.Request) { answer(w, r, chi.URLParam(q, "id")) })
			}
			return m
		},
	},
	{
		name: "gin", module: "github.com/gin-gonic/gin", handler: "`func(*gin.Context)`", values: "not at all",
		load: func(routes []route) http.Handler {
			noHosts(routes)
			gin.SetMode(gin.ReleaseMode)
			m := gin.New()
			for _, r := range routes {
				m.Handle(r.method, colons(r.path), func(c *gin.Context) { answer(c.Writer, r, c.Param("id")) })
			}
			return m
		},
	},
	{
		name: "echo", module: "github.com/labstack/echo/v5", handler: "`func(*echo.Context) error`", values: "`r.PathValue`, through `echo.WrapHandler`",
		load: func(routes []route) http.Handler {
			hosts := map[string]*echo.Echo{}
			for _, r := range routes {
				if hosts[r.host] == nil {
					hosts[r.host] = echo.New()
				}
				hosts[r.host].Add(r.method, colons(r.path), func(c *echo.Context) error { answer(c.Response(), r, c.Param("id")); return nil })
			}
			if hosts[""] != nil {
				return hosts[""]
			}
			return echo.NewVirtualHostHandler(hosts)
		},
	},
	{
		name: "fiber", module: "github.com/gofiber/fiber/v3", handler: "`func(fiber.Ctx) error`", values: "not at all", expression: ":id<regex([0-9]+)>",
		load: func(routes []route) http.Handler {
			m := fiber.New()
			for _, r := range routes {
				var to fiber.Router = m
				if r.host != "" {
					to = m.Domain(r.host)
				}
				to.Add([]string{r.method}, colons(r.path), func(c fiber.Ctx) error { answer(c, r, c.Params("id")); return nil })
			}
			return adaptor.FiberApp(m)
		},
	},
	{
		name: "gorilla/mux", module: "github.com/gorilla/mux", handler: "`http.Handler`", values: "`mux.Vars`", expression: "{id:[0-9]+}",
		load: func(routes []route) http.Handler {
			m := mux.NewRouter()
			for _, r := range routes {
				added := m.HandleFunc(r.path, func(w http.ResponseWriter, q *http.Request) { answer(w, r, mux.Vars(q)["id"]) }).Methods(r.method)
				if r.host != "" {
					added.Host(r.host)
				}
			}
			return m
		},
	},
	{
		name: "httprouter", module: "github.com/julienschmidt/httprouter", handler: "`func(w, r, httprouter.Params)`", values: "`ParamsFromContext`",
		load: func(routes []route) http.Handler {
			noHosts(routes)
			m := httprouter.New()
			for _, r := range routes {
				m.Handle(r.method, colons(r.path), func(w http.ResponseWriter, _ *http.Request, ps httprouter.Params) { answer(w, r, ps.ByName("id")) })
			}
			return m
		},
	},
	{
		name: "bunrouter", module: "github.com/uptrace/bunrouter", handler: "`func(w, bunrouter.Request) error`", values: "`ParamsFromContext`",
		load: func(routes []route) http.Handler {
			noHosts(routes)
			m := bunrouter.New()
			for _, r := range routes {
				m.Handle(r.method, colons(r.path), func(w http.ResponseWriter, q bunrouter.Request) error { answer(w, r, q.Param("id")); return nil })
			}
			return m
		},
	},
	{
		name: "fox", module: "github.com/fox-toolkit/fox", handler: "`func(*fox.Context)`", values: "`ParamsFromContext`", expression: "{id:[0-9]+}",
		load: func(routes []route) http.Handler {
			var options []fox.GlobalOption
			for _, r := range routes {
				if strings.Contains(r.path, "[") {
					options = []fox.GlobalOption{fox.WithAllowRegexpParam(true)} // required for expressions
				}
			}
			m := fox.MustRouter(options...)
			for _, r := range routes {
				m.MustAdd([]string{r.method}, r.host+r.path, func(c *fox.Context) { answer(c.Writer(), r, c.Param("id")) })
			}
			return m
		},
	},
}
