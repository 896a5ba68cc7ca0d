package contender

import (
	"io"

	"github.com/gin-gonic/gin"
)

func init() {
	gin.SetMode(gin.ReleaseMode)
	register(Contender{
		Name: "gin", Module: "github.com/gin-gonic/gin", Classes: []Class{Native},
		Style: "func(*gin.Context)", New: newGin,
		NotStdlib: "gin.WrapF hands on no parameters",
	})
}

func newGin(middleware int) Router {
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	for range middleware {
		engine.Use(func(c *gin.Context) { c.Next() })
	}
	return Router{engine, func(method, pattern string, h *Handler) {
		engine.Handle(method, pattern, pick(h, func(*gin.Context) {}, func(name string) (read, write, report func(*gin.Context)) {
			return func(c *gin.Context) { use(c.Param(name)) },
				func(c *gin.Context) { io.WriteString(c.Writer, c.Param(name)) },
				func(c *gin.Context) { h.Hit(c.Param) }
		}))
	}, nil}
}
