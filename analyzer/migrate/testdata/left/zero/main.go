package main

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
)

var value httprouter.Router // left: must be created with a function in muxmaster

type server struct {
	httprouter.Router // left: must be created with a function in muxmaster
}

func main() {
	router := &httprouter.Router{ // left: must be created with a function in muxmaster
		RedirectTrailingSlash: true, // left: RedirectTrailingSlash
	}
	other := new(httprouter.Router) // left: must be created with a function in muxmaster
	get := router.GET               // left: Router.GET
	get("/x", nil)
	var _, _ = value, other
	http.ListenAndServe(":3333", router)
}
