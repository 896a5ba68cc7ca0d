package contender

import (
	"io"
	"net/http"
	"strings"

	"gopkg.in/macaron.v1"
)

func init() {
	macaron.Env = macaron.PROD
	register(Contender{
		Name: "macaron", Module: "gopkg.in/macaron.v1", Classes: []Class{Native},
		Style: "func(*macaron.Context)", Load: loadMacaron,
		NotStdlib: "it hands parameters on in *macaron.Context only",
	})
}

func loadMacaron(s Spec) http.Handler {
	m := macaron.NewWithLogger(io.Discard)
	for range s.Middleware {
		m.Use(func(c *macaron.Context) { c.Next() })
	}
	for id, route := range s.Routes {
		pattern := route.Translate(":%s", "*%.0s")
		for _, name := range route.Names() {
			pattern = strings.Replace(pattern, ":"+name, macaronName(name), 1)
		}
		m.Handle(route.Method, pattern, []macaron.Handler{macaronHandler(s, id)})
	}
	return m
}

// macaronName returns a parameter's name in macaron, where names can't contain
// underscores, and that of a catch-all has no colon.
func macaronName(name string) string {
	if name == "*" {
		return name
	}
	return ":" + strings.ReplaceAll(name, "_", "")
}

func macaronHandler(s Spec, id int) macaron.Handler {
	name := macaronName(firstOr(s, id, "*"))
	switch s.Work {
	case Read:
		return func(c *macaron.Context) { use(c.Params(name)) }
	case Write:
		return func(c *macaron.Context) { io.WriteString(c.Resp, c.Params(name)) }
	case Report:
		return func(c *macaron.Context) {
			report(s, id, withRest(func(name string) string { return c.Params(macaronName(name)) }, "*"))
		}
	}
	return macaronReturn
}

func macaronReturn(*macaron.Context) {}
