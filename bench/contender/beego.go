package contender

import (
	"io"

	"github.com/beego/beego/v2/core/logs"
	"github.com/beego/beego/v2/server/web"
	"github.com/beego/beego/v2/server/web/context"
)

func init() {
	web.BConfig.RunMode = web.PROD
	logs.GetBeeLogger().Close() // don't log requests
	register(Contender{
		Name: "beego", Module: "github.com/beego/beego/v2", Classes: []Class{Native},
		Style: "func(*context.Context)", New: newBeego, Param: ":%s", Rest: "*%.0s", Splat: "splat",
		NotStdlib: "web.Handler passes no parameters",
	})
}

type beegoHandler = func(*context.Context)

func newBeego(middleware int) Router {
	router := web.NewControllerRegister()
	for range middleware {
		router.InsertFilterChain("/*", func(next web.FilterFunc) web.FilterFunc {
			return func(c *context.Context) { next(c) }
		})
	}
	return Router{router, func(method, pattern string, h *Handler) {
		router.AddMethod(method, pattern, pick(h, func(*context.Context) {}, func(name string) (read, write, report beegoHandler) {
			key := ":" + name
			return func(c *context.Context) { use(c.Input.Param(key)) },
				func(c *context.Context) { io.WriteString(c.ResponseWriter, c.Input.Param(key)) },
				func(c *context.Context) { h.Hit(func(name string) string { return c.Input.Param(":" + name) }) }
		}))
	}, router.Init}
}
