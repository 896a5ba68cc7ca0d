package contender

import (
	"io"
	"net/http"

	"github.com/labstack/echo/v5"
)

func init() {
	const module = "github.com/labstack/echo/v5"
	register(Contender{
		Name: "echo", Module: module, Classes: []Class{Native},
		Style: "func(*echo.Context) error", Load: loadEcho,
	})
	register(Contender{
		Name: "echo (WrapHandler)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), r.PathValue", Load: loadEchoStdlib, DirtiesRequest: true,
	})
}

func loadEcho(s Spec) http.Handler       { return newEcho(s, echoHandler) }
func loadEchoStdlib(s Spec) http.Handler { return newEcho(s, echoWrapped) }

func newEcho(s Spec, handler func(Spec, int) echo.HandlerFunc) http.Handler {
	e := echo.New()
	for range s.Middleware {
		e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
			return func(c *echo.Context) error { return next(c) }
		})
	}
	for id, route := range s.Routes {
		e.Add(route.Method, route.Translate(":%s", "*%.0s"), handler(s, id))
	}
	return e
}

// echoName returns the first parameter's name in echo, whose catch-alls are all
// named *.
func echoName(s Spec, id int) string {
	if s.Routes[id].CatchAll() && len(s.Routes[id].Names()) == 1 {
		return "*"
	}
	return first(s, id)
}

func echoHandler(s Spec, id int) echo.HandlerFunc {
	name := echoName(s, id)
	switch s.Work {
	case Read:
		return func(c *echo.Context) error { use(c.Param(name)); return nil }
	case Write:
		return func(c *echo.Context) error {
			_, err := io.WriteString(c.Response(), c.Param(name))
			return err
		}
	case Report:
		return func(c *echo.Context) error {
			report(s, id, func(name string) string {
				if value := c.Param(name); value != "" {
					return value
				}
				return c.Param("*")
			})
			return nil
		}
	}
	return echoReturn
}

func echoReturn(*echo.Context) error { return nil }

func echoWrapped(s Spec, id int) echo.HandlerFunc {
	if s.Work == Report {
		return echo.WrapHandler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, func(name string) string {
				if value := r.PathValue(name); value != "" {
					return value
				}
				return r.PathValue("*")
			})
		}))
	}
	name := echoName(s, id)
	switch s.Work {
	case Read:
		return echo.WrapHandler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { use(r.PathValue(name)) }))
	case Write:
		return echo.WrapHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, r.PathValue(name))
		}))
	}
	return echo.WrapHandler(http.HandlerFunc(returnAtOnce))
}
