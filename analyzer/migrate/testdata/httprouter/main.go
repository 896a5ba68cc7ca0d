// A service with httprouter, based on the examples in its README.
package main

import (
	"fmt"
	"net/http"

	"github.com/julienschmidt/httprouter"
)

func Index(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	fmt.Fprint(w, "Welcome!\n")
}

func Hello(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
	fmt.Fprintf(w, "hello, %s!\n", ps.ByName("name"))
}

func Plain(w http.ResponseWriter, r *http.Request) {
	params := httprouter.ParamsFromContext(r.Context())
	fmt.Fprintf(w, "plain, %s %s!\n", params.ByName("name"), httprouter.ParamsFromContext(r.Context()).ByName("rest"))
}

// BasicAuth wraps a handle.
func BasicAuth(h httprouter.Handle, requiredUser, requiredPassword string) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
		user, password, hasAuth := r.BasicAuth()
		if hasAuth && user == requiredUser && password == requiredPassword {
			h(w, r, ps)
			return
		}
		w.Header().Set("WWW-Authenticate", "Basic realm=Restricted")
		http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
	}
}

func routes() *httprouter.Router {
	router := httprouter.New()
	router.HandleMethodNotAllowed = true
	router.RedirectTrailingSlash = true
	router.GET("/", Index)
	router.GET("/hello/:name", Hello)
	router.GET("/protected/", BasicAuth(Index, "gordon", "secret!"))
	router.Handle("PUT", "/hello/:name", func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
		for _, p := range ps {
			fmt.Fprintln(w, p.Key, p.Value)
		}
		fmt.Fprintln(w, ps[0].Value)
	})
	router.HandlerFunc(http.MethodGet, "/plain/:name/*rest", Plain)
	router.Handler("POST", "/handler", http.RedirectHandler("/", http.StatusSeeOther))
	router.ServeFiles("/static/*filepath", http.Dir("files"))
	router.NotFound = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no such page", http.StatusNotFound)
	})
	return router
}

func main() {
	http.ListenAndServe(":3333", routes())
}
