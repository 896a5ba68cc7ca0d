// A service with gin, based on the examples in its documentation.
package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
)

var db = map[string]string{"alice": "1"}

type login struct {
	User     string `json:"user"`
	Password string `json:"password"`
}

func setupRouter() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(gin.Recovery(), version("1"))

	r.GET("/ping", func(c *gin.Context) {
		c.String(http.StatusOK, "pong")
	})
	r.GET("/user/:name", func(c *gin.Context) {
		user := c.Params.ByName("name")
		value, ok := db[user]
		if ok {
			c.JSON(http.StatusOK, gin.H{"user": user, "value": value})
		} else {
			c.JSON(http.StatusOK, gin.H{"user": user, "status": "no value"})
		}
	})
	r.GET("/user/:name/*action", func(c *gin.Context) {
		c.String(http.StatusOK, "%s is %s", c.Param("name"), c.Param("action"))
	})
	r.GET("/welcome", func(c *gin.Context) {
		firstname := c.DefaultQuery("firstname", "Guest")
		c.String(http.StatusOK, "Hello %s %s", firstname, c.Query("lastname"))
	})
	r.POST("/form", func(c *gin.Context) {
		c.Header("X-Form", "read")
		c.JSON(http.StatusCreated, gin.H{"message": c.PostForm("message"), "nick": c.DefaultPostForm("nick", "anonymous")})
	})
	r.POST("/login", func(c *gin.Context) {
		var l login
		if err := c.ShouldBindJSON(&l); err != nil {
			c.JSON(http.StatusBadRequest, gin.H{"error": "bad json"})
			return
		}
		if l.User != "manu" || l.Password != "123" {
			c.AbortWithStatus(http.StatusUnauthorized)
			return
		}
		c.JSON(http.StatusOK, gin.H{"status": "you are logged in"})
	})
	r.GET("/moved", func(c *gin.Context) { c.Redirect(http.StatusMovedPermanently, "/ping") })
	r.GET("/raw", func(c *gin.Context) {
		c.Data(http.StatusOK, "text/csv", []byte("a,b\n"))
	})
	r.GET("/pattern/:id", pattern)
	r.GET("/one", tag("one"), func(c *gin.Context) { c.String(200, "one "+c.GetHeader("X-In")) })
	r.Any("/any", func(c *gin.Context) { c.String(200, c.Request.Method) })
	r.StaticFile("/file", "main.go")
	r.GET("/std", gin.WrapF(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "std") }))

	s := &store{name: "shop"}
	r.GET("/store", s.show)
	r.GET("/made", made("made"))
	var h handler = pattern
	r.GET("/handler/:id", gin.HandlerFunc(h))

	v1 := r.Group("/v1")
	{
		v1.GET("/numbers/:n", number)
		v1.POST("/numbers", echo)
	}
	authorized := r.Group("/admin", auth)
	authorized.GET("/secrets", func(c *gin.Context) {
		fmt.Fprint(c.Writer, "secrets")
	})
	items(r.Group("/items"))

	guarded := r.Group("/guarded", tokenOnly, kind)
	guarded.GET("/:id", func(c *gin.Context) {
		r, w := c.Param("id"), c.Query("w") // the default names of the new parameters
		req := strings.ToUpper(r)
		c.String(http.StatusOK, r+w+req+c.Request.Method)
	})
	r.Handle("PUT", "/guarded/:id", tokenOnly, func(c *gin.Context) {
		c.Status(http.StatusNoContent)
	})
	r.GET("/empty", func(c *gin.Context) {
		c.Header("X-Empty", "1")
		c.Header("X-Empty", "")
		if c.Query("gone") != "" {
			c.Status(http.StatusGone)
			return
		}
		c.String(http.StatusOK, "empty")
	})

	r.Use(tag("late"))
	r.GET("/late", func(c *gin.Context) { c.Status(http.StatusAccepted) })
	r.NoRoute(func(c *gin.Context) { c.String(http.StatusNotFound, "nowhere") })
	return r
}

type handler func(*gin.Context)

type store struct{ name string }

func (s *store) show(c *gin.Context) {
	defer func() { c.String(http.StatusOK, s.name) }()
	c.Header("X-Store", s.name)
}

func made(text string) gin.HandlerFunc {
	return func(c *gin.Context) { c.String(http.StatusOK, text) }
}

func items(g *gin.RouterGroup) {
	g.GET("/:id", func(c *gin.Context) { respond(c, "item "+c.Param("id")) })
}

func respond(c *gin.Context, text string) {
	c.String(http.StatusOK, strings.ToUpper(text))
}

func pattern(c *gin.Context) { c.String(http.StatusOK, c.FullPath()) }

func number(c *gin.Context) {
	n, err := strconv.Atoi(c.Param("n"))
	if err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, gin.H{"twice": 2 * n})
}

func echo(c *gin.Context) {
	b, err := c.GetRawData()
	if err != nil {
		return
	}
	c.String(http.StatusOK, string(b))
}

// auth rejects requests without the right token.
func auth(c *gin.Context) {
	if c.GetHeader("X-Token") != "word" {
		c.AbortWithStatusJSON(http.StatusForbidden, gin.H{"error": "who are you?"})
		return
	}
	if c.Query("quick") != "" {
		return
	}
	c.Header("X-Auth", "yes")
}

// tokenOnly aborts at its end, without a return.
func tokenOnly(c *gin.Context) {
	if c.GetHeader("X-Token") == "" {
		c.Header("X-Why", "no token")
		c.AbortWithStatus(http.StatusForbidden)
	} else if c.GetHeader("X-Token") == "old" {
		c.AbortWithStatus(http.StatusGone)
		c.Header("X-Late", "never sent")
	}
}

func kind(c *gin.Context) {
	switch next := c.Query("kind"); next {
	case "bad":
		c.AbortWithStatus(http.StatusBadRequest)
	case "skip":
		return
	default:
		c.Header("X-Kind", "kind "+next)
	}
}

func version(v string) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Header("X-Version", v)
		c.Next()
	}
}

func tag(name string) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Writer.Header().Set("X-Tag", name)
	}
}

func main() {
	r := setupRouter()
	r.Run(":3333")
}
