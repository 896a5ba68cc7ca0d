// Package gin has the parts of gin's API that the checks use.
package gin

import "net/http"

type Context struct{ Request *http.Request }

func (c *Context) Copy() *Context { return &Context{Request: c.Request} }
