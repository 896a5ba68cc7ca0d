// A service with echo, based on the examples in its documentation.
package main

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"
)

type user struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

var (
	users = map[int]*user{1: {1, "Jon"}}
	lock  sync.Mutex
)

func hello(c *echo.Context) error {
	return c.String(http.StatusOK, "Hello, World!")
}

func getUser(c *echo.Context) error {
	lock.Lock()
	defer lock.Unlock()
	id, err := strconv.Atoi(c.Param("id"))
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "no number")
	}
	return c.JSON(http.StatusOK, users[id])
}

func deleteUser(c *echo.Context) error {
	lock.Lock()
	defer lock.Unlock()
	id, _ := strconv.Atoi(c.Param("id"))
	delete(users, id)
	return c.NoContent(http.StatusNoContent)
}

func show(c *echo.Context) error {
	team := c.QueryParam("team")
	member := c.QueryParam("member")
	return c.String(http.StatusOK, "team:"+team+", member:"+member)
}

func save(c *echo.Context) error {
	name := c.FormValue("name")
	c.Response().Header().Set("X-Saved", "yes")
	return c.JSON(http.StatusCreated, map[string]any{"name": name, "path": c.Request().URL.Path})
}

func page(c *echo.Context) error {
	if c.QueryParam("old") != "" {
		return c.Redirect(http.StatusFound, "/")
	}
	return c.HTML(http.StatusOK, "<b>page</b>")
}

type server struct{ name string }

func (s server) show(c *echo.Context) error { return c.String(http.StatusOK, s.name) }

func made(text string) echo.HandlerFunc {
	return func(c *echo.Context) error { return c.String(http.StatusOK, text) }
}

func main() {
	e := echo.New()
	e.Use(middleware.Recover())
	e.GET("/", hello)
	e.GET("/users/:id", getUser)
	e.DELETE("/users/:id", deleteUser)
	e.GET("/show", show)
	e.POST("/save", save)
	e.GET("/page", page)
	e.GET("/files/*", func(c *echo.Context) error {
		return c.String(http.StatusOK, "file "+c.Param("*"))
	})
	s := server{name: "echo"}
	e.GET("/server", s.show)
	e.GET("/made", made("made"))
	e.Any("/any", func(c *echo.Context) error { return c.String(http.StatusOK, c.Request().Method) })
	g := e.Group("/admin")
	g.GET("/status", func(c *echo.Context) error { return c.NoContent(http.StatusAccepted) })
	if err := e.Start(":3333"); err != nil {
		e.Logger.Error("failed to start server", "error", err)
	}
}
