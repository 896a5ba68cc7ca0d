package contender

import (
	"io"
	"net/http"

	"github.com/gin-gonic/gin"
)

func init() {
	gin.SetMode(gin.ReleaseMode)
	register(Contender{
		Name: "gin", Module: "github.com/gin-gonic/gin", Classes: []Class{Native},
		Style: "func(*gin.Context)", Load: loadGin,
		NotStdlib: "gin.WrapF hands on no parameters",
	})
}

func loadGin(s Spec) http.Handler {
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	for range s.Middleware {
		engine.Use(func(c *gin.Context) { c.Next() })
	}
	for id, route := range s.Routes {
		engine.Handle(route.Method, route.Pattern, ginHandler(s, id))
	}
	return engine
}

func ginHandler(s Spec, id int) gin.HandlerFunc {
	name := first(s, id)
	switch s.Work {
	case Read:
		return func(c *gin.Context) { use(c.Param(name)) }
	case Write:
		return func(c *gin.Context) { io.WriteString(c.Writer, c.Param(name)) }
	case Report:
		return func(c *gin.Context) { report(s, id, c.Param) }
	}
	return ginReturn
}

func ginReturn(*gin.Context) {}
