// Middleware whose control flow can't be determined. A mistake would accept requests
// that the old program rejects.
package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

func main() {
	r := gin.New()
	r.Use(helper, goesOn, loop, deferred, nested, called, late, afterNext)
	r.GET("/", func(c *gin.Context) { c.String(http.StatusOK, "in") })
	http.ListenAndServe(":3333", r)
}

func deny(c *gin.Context) { c.AbortWithStatus(http.StatusForbidden) }

func allowed(c *gin.Context) bool { return c.Query("ok") != "" }

func helper(c *gin.Context) {
	if !allowed(c) {
		deny(c) // left: this may abort the request
		return
	}
}

func goesOn(c *gin.Context) {
	if !allowed(c) {
		c.AbortWithStatus(http.StatusForbidden) // left: the function continues after this abort
	}
	c.Header("X-On", "1")
}

func loop(c *gin.Context) {
	for range 3 {
		if !allowed(c) {
			c.AbortWithStatus(http.StatusForbidden) // left: no return follows this abort directly
			break
		}
	}
}

func deferred(c *gin.Context) {
	defer func() { // left: this aborts when the function returns
		if recover() != nil {
			c.AbortWithStatus(http.StatusInternalServerError)
		}
	}()
}

func nested(c *gin.Context) {
	refuse := func() {
		c.AbortWithStatus(http.StatusForbidden) // left: no return follows this abort directly
	}
	if !allowed(c) {
		refuse()
		return
	}
}

func called(c *gin.Context) {
	var f func(*gin.Context) = deny
	f(c) // left: this may abort the request
}

func late(c *gin.Context) {
	if !allowed(c) {
		c.AbortWithStatus(http.StatusForbidden)
		if c.Query("more") != "" { // left: this may return after an abort
			return
		}
		return
	}
}

func afterNext(c *gin.Context) {
	if !allowed(c) {
		c.AbortWithStatus(http.StatusForbidden) // left: the function continues after this abort
	}
	c.Next()
}
