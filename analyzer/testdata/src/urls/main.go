package main

import (
	"embed"
	"html/template"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

//go:embed pages note.txt
var files embed.FS // want `pages/page.html:4: no route serves /user/1 of href` `pages/page.html:8: no route serves /users of hx-delete` `pages/page.html:9: no route serves /missing.js of src`

var page = template.Must(template.New("").Parse(`<a href="/users/{{.ID}}">x</a> <a href="/posts/{{.ID}}">y</a>`)) // want `no route serves /posts/{{…}} of href`

func h(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case "a":
		http.Redirect(w, r, "/login", http.StatusSeeOther) // want `no route serves GET /login`
		to := "/nowhere"                                   // want `no route serves GET /nowhere`
		http.Redirect(w, r, to, http.StatusSeeOther)
	case "b":
		next := "/nowhere"
		if r.Host != "" {
			next = "/"
		}
		http.Redirect(w, r, next, http.StatusSeeOther)
		http.Redirect(w, r, "/users/1?x=1#top", http.StatusSeeOther)
		http.Redirect(w, r, "https://example.com/x", http.StatusSeeOther)
		http.Redirect(w, r, "//example.com/x", http.StatusSeeOther)
		http.Redirect(w, r, "relative", http.StatusSeeOther)
		http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		http.Redirect(w, r, "/debug/pprof/", http.StatusSeeOther)
		http.Redirect(w, r, "/files/a/b.pdf", http.StatusSeeOther)
		http.Redirect(w, r, "/app/settings", http.StatusSeeOther)
	}
}

func main() {
	mux := muxmaster.New()
	mux.GET("/", h)
	mux.Name("user.show").GET("/users/:id", h)
	mux.POST("/users", h)
	mux.Handle("/old", http.RedirectHandler("/users", http.StatusFound)) // want `no route serves GET /users`
	mux.Host("{tenant}.example.com").Name("order").GET("/orders/:id", h)
	mux.Handle("/latest", http.RedirectHandler("/orders/7", http.StatusFound))
	api := muxmaster.New()
	api.GET("/status", h)
	mux.Mount("/api", api)
	mux.GET("/static/*path", h)
	mux.ServeFiles("/files/*path", files)
	mux.ServeSPA("/app", files)
	paths(mux)
	http.ListenAndServe(":8080", mux)
}

func paths(mux *muxmaster.Mux) {
	mux.URL("user.show", "id", "1")
	mux.URL("order", "id", "1")
	mux.URL("order", "tenant", "a", "id", "1")
	mux.URL("order", "host", "a")     // want `the route "order" has no parameter "host"`
	mux.URL("user.edit", "id", "1")   // want `no route has the name "user.edit"`
	mux.URL("user.show", "name", "1") // want `the route "user.show" has no parameter "name"`
	muxmaster.BuildPath("/users/:id", "id", "1")
	muxmaster.BuildPath("/users/{id}", "name", "1") // want `"/users/{id}" has no parameter "name"`
	muxmaster.BuildPath("/users/{id}")              // want `BuildPath has no value for the parameter "id"`
	muxmaster.BuildPath("/posts/{id}", "id", "1")   // want `no route serves "/posts/{id}"`
}
