package main

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
)

type form struct {
	Name string `json:"name" binding:"required"`
}

func main() {
	r := gin.Default()
	r.LoadHTMLGlob("*.html") // left: parse the templates with html/template
	r.GET("/ok/:id", func(c *gin.Context) { c.String(http.StatusOK, c.Param("id")) })
	r.POST("/form", func(c *gin.Context) {
		var f form
		if err := c.ShouldBindJSON(&f); err != nil { // left: use body.ReadJSON
			c.HTML(http.StatusBadRequest, "form.html", nil) // left: execute an html/template
		}
	})
	r.GET("/ctx", func(c *gin.Context) {
		later(c) // left: this use of the context can't be rewritten
		go func(x *gin.Context) {
			_ = x.ClientIP() // left: middleware.RealIPFrom
		}(c.Copy()) // left: copy the values that the goroutine needs
	})
	r.Use(func(c *gin.Context) {
		if c.Query("x") == "" {
			c.Next() // left: calls Next in an unusual place
		}
	})
	r.GET("/chain", get).GET("/more", get) // left: write one statement for each route
	r.Run(":3333")
}

func get(c *gin.Context) {
	c.Set("a", 1) // left: use context.WithValue
}

func later(ctx context.Context) {}
