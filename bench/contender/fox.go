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
		Style: "func(*fox.Context)", Load: loadFox,
	})
	register(Contender{
		Name: "fox (WrapF)", Module: module, Classes: []Class{Stdlib},
		Style: "func(http.ResponseWriter, *http.Request), ParamsFromContext", Load: loadFoxStdlib,
	})
}

func loadFox(s Spec) http.Handler       { return newFox(s, foxHandler) }
func loadFoxStdlib(s Spec) http.Handler { return newFox(s, foxWrapped) }

func newFox(s Spec, handler func(Spec, int) fox.HandlerFunc) http.Handler {
	options := []fox.GlobalOption{fox.WithNoMethod(true)}
	for range s.Middleware {
		options = append(options, fox.WithMiddleware(func(next fox.HandlerFunc) fox.HandlerFunc {
			return func(c *fox.Context) { next(c) }
		}))
	}
	router := fox.MustRouter(options...)
	// fox's documentation recommends one transaction for many routes.
	err := router.Updates(func(txn *fox.Txn) error {
		for id, route := range s.Routes {
			if _, err := txn.Add([]string{route.Method}, route.Translate("{%s}", "+{%s}"), handler(s, id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	return router
}

func foxHandler(s Spec, id int) fox.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(c *fox.Context) { use(c.Param(name)) }
	case Write:
		return func(c *fox.Context) { io.WriteString(c.Writer(), c.Param(name)) }
	case Report:
		return func(c *fox.Context) { report(s, id, c.Param) }
	}
	return foxReturn
}

func foxReturn(*fox.Context) {}

func foxWrapped(s Spec, id int) fox.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return fox.WrapF(func(_ http.ResponseWriter, r *http.Request) {
			use(fox.ParamsFromContext(r.Context()).Get(name))
		})
	case Write:
		return fox.WrapF(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, fox.ParamsFromContext(r.Context()).Get(name))
		})
	case Report:
		return fox.WrapF(func(_ http.ResponseWriter, r *http.Request) {
			report(s, id, fox.ParamsFromContext(r.Context()).Get)
		})
	}
	return fox.WrapF(returnAtOnce)
}
