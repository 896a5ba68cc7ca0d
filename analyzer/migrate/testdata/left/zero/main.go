package main

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
)

var value httprouter.Router // left: a Mux is made by a function here

type server struct {
	httprouter.Router // left: a Mux is made by a function here
}

func main() {
	router := &httprouter.Router{ // left: a Mux is made by a function here
		RedirectTrailingSlash: true, // left: RedirectTrailingSlash
	}
	other := new(httprouter.Router) // left: a Mux is made by a function here
	get := router.GET               // left: Router.GET
	get("/x", nil)
	var _, _ = value, other
	http.ListenAndServe(":3333", router)
}
