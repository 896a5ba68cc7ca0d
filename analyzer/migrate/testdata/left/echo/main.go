package main

import (
	"net/http"

	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"
)

func main() {
	e := echo.New()
	e.Use(middleware.CORS("*")) // left: use one of package middleware
	e.Use(tag)                  // left: as func(http.Handler) http.Handler
	e.GET("/ok/:id", get)
	e.GET("/x", get, tag) // left: as func(http.Handler) http.Handler
	e.GET("/{id}", get)   // left: braces and backslashes have another meaning in muxmaster
	e.GET("/a%20b", get)  // left: write %2520
	e.Start(":3333")
}

func tag(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		c.Set("tag", 1) // left: use context.WithValue
		return next(c)
	}
}

func get(c *echo.Context) error {
	var v struct{ Name string }
	if err := c.Bind(&v); err != nil { // left: use body.ReadJSON
		return err
	}
	return c.JSON(http.StatusOK, v)
}
