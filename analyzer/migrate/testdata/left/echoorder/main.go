// In echo, Use of a group applies to the routes that follow.
package main

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

var value echo.Echo // left: must be created with a function in muxmaster

func main() {
	e := echo.New()
	g := e.Group("/g")
	g.GET("/a", get)
	g.Use(middleware.Recover()) // left: call Use before registering routes
	g.GET("/b", get)
	g.GET("", get)
	g.Any("", get) // left: register this route with Handle
	e.GET("/twice/:id", get)
	e.GET("/twice/:name", get) // left: line 21 registers the same route: the old router uses the last one
	routes(e)
	middlewares(e)
	e.Start(":3333")
}

func routes(e *echo.Echo) { e.GET("/c", get) }

func middlewares(e *echo.Echo) {
	e.Use(middleware.Recover()) // left: this router may already have some
}

func get(c echo.Context) error {
	c.Response().Header().Set("X-A", "1")
	err := c.Request().Context().Err()
	if err != nil {
		return c.HTML(http.StatusOK, "<b>")
	}
	c.Response().Status = 201 // left: Status
	return nil
}
