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

func echoHandler(s Spec, id int) echo.HandlerFunc {
	name := firstOr(s, id, "*")
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
			report(s, id, withRest(c.Param, "*"))
			return nil
		}
	}
	return echoReturn
}

func echoReturn(*echo.Context) error { return nil }

func echoWrapped(s Spec, id int) echo.HandlerFunc {
	return echo.WrapHandler(pathValueHandler(s, id, "*"))
}
