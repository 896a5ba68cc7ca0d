package contender

import (
	"io"
	"net/http"

	"github.com/beego/beego/v2/core/logs"
	"github.com/beego/beego/v2/server/web"
	"github.com/beego/beego/v2/server/web/context"
)

func init() {
	web.BConfig.RunMode = web.PROD
	logs.GetBeeLogger().Close() // don't log requests
	register(Contender{
		Name: "beego", Module: "github.com/beego/beego/v2", Classes: []Class{Native},
		Style: "func(*context.Context)", Load: loadBeego,
		NotStdlib: "web.Handler passes no parameters",
	})
}

func loadBeego(s Spec) http.Handler {
	router := web.NewControllerRegister()
	for range s.Middleware {
		router.InsertFilterChain("/*", func(next web.FilterFunc) web.FilterFunc {
			return func(c *context.Context) { next(c) }
		})
	}
	for id, route := range s.Routes {
		router.AddMethod(route.Method, route.Translate(":%s", "*%.0s"), beegoHandler(s, id))
	}
	router.Init()
	return router
}

func beegoHandler(s Spec, id int) web.HandleFunc {
	name := ":" + firstOr(s, id, "splat")
	switch s.Work {
	case Read:
		return func(c *context.Context) { use(c.Input.Param(name)) }
	case Write:
		return func(c *context.Context) { io.WriteString(c.ResponseWriter, c.Input.Param(name)) }
	case Report:
		return func(c *context.Context) {
			report(s, id, withRest(func(name string) string { return c.Input.Param(":" + name) }, "splat"))
		}
	}
	return beegoReturn
}

func beegoReturn(*context.Context) {}
