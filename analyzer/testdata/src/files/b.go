package files

import "net/http"

var errB = mux.TryHandle("/x/{name}", http.NotFoundHandler()) // want `it matches the same requests as "/x/:id" at a.go:\d+`
