package contender

import (
	"io"
	"strings"

	"gopkg.in/macaron.v1"
)

func init() {
	macaron.Env = macaron.PROD
	register(Contender{
		Name: "macaron", Module: "gopkg.in/macaron.v1", Classes: []Class{Native},
		Style: "func(*macaron.Context)", New: newMacaron, Param: ":%s", Rest: "*%.0s", Splat: "*",
		NotStdlib: "it hands parameters on in *macaron.Context only",
	})
}

func newMacaron(middleware int) Router {
	m := macaron.NewWithLogger(io.Discard)
	for range middleware {
		m.Use(func(c *macaron.Context) { c.Next() })
	}
	return Router{m, func(method, pattern string, h *Handler) {
		// Names can't contain underscores.
		segments := strings.Split(pattern, "/")
		for i, s := range segments {
			if strings.HasPrefix(s, ":") && strings.Count(s, ":") == 1 {
				segments[i] = strings.ReplaceAll(s, "_", "")
			}
		}
		handler := pick(h, func(*macaron.Context) {}, func(name string) (read, write, report func(*macaron.Context)) {
			key := macaronName(name)
			return func(c *macaron.Context) { use(c.Params(key)) },
				func(c *macaron.Context) { io.WriteString(c.Resp, c.Params(key)) },
				func(c *macaron.Context) { h.Hit(func(name string) string { return c.Params(macaronName(name)) }) }
		})
		m.Handle(method, strings.Join(segments, "/"), []macaron.Handler{handler})
	}, nil}
}

// macaronName returns the name with which macaron stores a value. That of a
// catch-all has no colon.
func macaronName(name string) string {
	if name == "*" {
		return name
	}
	return ":" + strings.ReplaceAll(name, "_", "")
}
