package contender

import (
	"io"

	"github.com/labstack/echo/v5"
)

func init() {
	const module = "github.com/labstack/echo/v5"
	register(Contender{
		Name: "echo", Module: module, Classes: []Class{Native},
		Style: "func(*echo.Context) error", New: newEcho(echoHandler), Param: ":%s", Rest: "*%.0s", Splat: "*",
	})
	register(Contender{
		Name: "echo (WrapHandler)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), r.PathValue", DirtiesRequest: true,
		New: newEcho(func(h *Handler) echo.HandlerFunc { return echo.WrapHandler(pathValue(h)) }), Param: ":%s", Rest: "*%.0s", Splat: "*",
	})
}

func newEcho(handler func(*Handler) echo.HandlerFunc) func(middleware int) Router {
	return func(middleware int) Router {
		e := echo.New()
		for range middleware {
			e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
				return func(c *echo.Context) error { return next(c) }
			})
		}
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
