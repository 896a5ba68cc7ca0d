package contender

import (
	"io"
	"net/http"

	"github.com/fox-toolkit/fox"
)

func init() {
	const module = "github.com/fox-toolkit/fox"
	register(Contender{
		Name: "fox", Module: module, Classes: []Class{Native},
		Style: "func(*fox.Context)", New: newFox(foxHandler), Param: "{%s}", Rest: "+{%s}",
	})
	register(Contender{
		Name: "fox (WrapF)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), ParamsFromContext", New: newFox(foxPlain), Param: "{%s}", Rest: "+{%s}",
	})
}

func newFox(handler func(*Handler) fox.HandlerFunc) func(middleware int) Router {
	return func(middleware int) Router {
		options := []fox.GlobalOption{fox.WithNoMethod(true), fox.WithAllowRegexpParam(true)}
		for range middleware {
			options = append(options, fox.WithMiddleware(func(next fox.HandlerFunc) fox.HandlerFunc {
				return func(c *fox.Context) { next(c) }
			}))
		}
		router := fox.MustRouter(options...)
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
