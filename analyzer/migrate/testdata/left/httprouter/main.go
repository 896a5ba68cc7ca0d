package main

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
)

func main() {
	router := httprouter.New()
	router.HandleMethodNotAllowed = false // left: muxmaster always responds with 405
	router.PanicHandler = nil             // left: use middleware.Recoverer
	router.GlobalOPTIONS = nil            // left: register OPTIONS routes
	router.GET("/ok/:id", get)
	router.GET("/{id}", get)                   // left: braces are literal text in the old router
	router.GET("/a%20b", get)                  // left: write %2520
	router.Handle(method(), "/x", get)         // left: the method isn't constant
	router.ServeFiles("/f/*filepath", files()) // left: os.DirFS(dir)
	http.ListenAndServe(":3333", router)
}

func method() string { return "GET" }

func files() http.FileSystem { return http.Dir(".") }

func get(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
}
