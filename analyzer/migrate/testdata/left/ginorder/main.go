// Middleware that applies only to later routes, which one function alone doesn't
// show, and other features of gin.
package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

var global = gin.New()

type server struct{ router *gin.Engine }

var zero gin.Engine // left: must be created with a function in muxmaster

func main() {
	r := gin.New()
	public(r)
	r.Use(auth) // left: this router may already have some
	private(r)

	two := gin.New()
	two.GET("/a", get)
	two.Use(auth) // left: this router may already have some
	two.GET("/b", get)
	two.Use(auth)
	two.GET("/c", get)

	in := gin.New()
	in.GET("/a", get)
	if len(in.BasePath()) > 0 { // left: RouterGroup.BasePath
		in.Use(auth) // left: this router may already have some
	}
	in.GET("/b", get)

	global.GET("/a", get)
	setup()
	s := &server{router: gin.New()}
	s.routes()
	s.middleware()
	v1 := r.Group("/v1")
	more(v1)
	more(v1)
	made().GET("/c", get)
	http.ListenAndServe(":3333", r)
}

func public(r *gin.Engine) { r.GET("/public", get) }

func private(r *gin.Engine) { r.GET("/private", get) }

func setup() {
	global.Use(auth) // left: this router may already have some
	global.GET("/b", get)
}

func (s *server) routes() { s.router.GET("/a", get) }

func (s *server) middleware() {
	s.router.Use(auth) // left: this router may already have some
}

func more(g *gin.RouterGroup) {
	g.Use(auth) // left: this router may already have some
	g.GET("/a", get)
}

func made() *gin.Engine {
	r := gin.New()
	r.GET("/a", get)
	r.Use(auth) // left: this router may already have some
	r.GET("/b", get)
	return r
}

func auth(c *gin.Context) {
	if c.GetHeader("X-Token") == "" {
		c.AbortWithStatus(http.StatusForbidden)
	}
}

func get(c *gin.Context) {
	setUser(c)
	c.Status(http.StatusCreated) // left: later code may set headers
	c.Header("X-After", "1")
	c.Writer.WriteHeader(http.StatusOK)             // left: later code may set headers
	c.PureJSON(http.StatusOK, "<b>")                // left: Context.PureJSON: use a json.Encoder
	c.XML(http.StatusOK, gin.H{"a": 1})             // left: Context.XML: use muxmaster.XML
	c.Writer.Write([]byte(c.Request.URL.Path))      // written by hand
	c.JSON(-1, nil)                                 // left: a negative status
	c.ShouldBindUri(&struct{ ID int }{})            // left: muxmaster.PathParamAs
	c.JSON(http.StatusOK, map[string]any{"a": "b"}) // fine
}

func setUser(c *gin.Context) {
	c.Request = c.Request.WithContext(c.Request.Context()) // left: the caller doesn't see this assignment
}
