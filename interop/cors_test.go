package interop

import (
	"io"
	"net/http"

	chicors "github.com/go-chi/cors"
	"github.com/gorilla/handlers"
	jub0bs "github.com/jub0bs/cors"
	rs "github.com/rs/cors"
)

const corsTried = "on a Mux and on a Group: preflights of routes, of other methods and of unknown paths; no CORS headers outside the Group"

var corsRows = []row{
	{library: "github.com/jub0bs/cors", name: "jub0bs/cors", tried: corsTried, run: func(s *site) {
		mw, err := jub0bs.NewMiddleware(jub0bs.Config{Origins: []string{origin}, Methods: []string{"GET", "PUT", "DELETE"}})
		s.must(err)
		runCORS(s, mw.Wrap, 204)
	}},
	{library: "github.com/rs/cors", name: "rs/cors", tried: corsTried, run: func(s *site) {
		runCORS(s, rs.New(rs.Options{AllowedOrigins: []string{origin}, AllowedMethods: []string{"GET", "PUT", "DELETE"}}).Handler, 204)
	}},
	{library: "github.com/go-chi/cors", name: "go-chi/cors", tried: corsTried, run: func(s *site) {
		runCORS(s, chicors.Handler(chicors.Options{AllowedOrigins: []string{origin}, AllowedMethods: []string{"GET", "PUT", "DELETE"}}), 200)
	}},
	{library: "github.com/gorilla/handlers", name: "gorilla/handlers CORS", tried: corsTried, run: func(s *site) {
		runCORS(s, handlers.CORS(handlers.AllowedOrigins([]string{origin}), handlers.AllowedMethods([]string{"GET", "PUT", "DELETE"})), 200)
	}},
}

const origin = "https://app.example.com"

// runCORS tests a middleware on a Group, and then on a whole Mux. preflight is
// its status for preflight requests.
func runCORS(s *site, cors func(http.Handler) http.Handler, preflight int) {
	const allowed = "Access-Control-Allow-Origin"
	ask := func(method, target string) answer {
		return s.ask(method, target, "", "Origin: "+origin, "Access-Control-Request-Method: PUT")
	}
	// probe sends requests for paths below a prefix with the middleware.
	probe := func(prefix string) {
		for _, path := range []string{"/notes/7", "/notes", "/none"} {
			a := ask("OPTIONS", prefix+path)
			s.equal("preflight of "+prefix+path, a.StatusCode, preflight)
			s.has(a, allowed, origin)
			s.has(a, "Access-Control-Allow-Methods", "PUT")
		}
		s.has(s.wants("200 7", ask("PUT", prefix+"/notes/7")), allowed, origin)
		s.has(s.wants("405 ...", ask("DELETE", prefix+"/notes/7")), allowed, origin)
		s.has(s.wants("404 ...", ask("GET", prefix+"/none")), allowed, origin)
	}

	group := s.mux.Group("/api")
	group.Use(cors)
	group.GET("/notes", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "notes") })
	group.PUT("/notes/:id", sayValue("id"))
	s.mux.PUT("/open/:id", sayValue("id"))
	s.start(s)
	probe("/api")
	s.has(s.wants("204", ask("OPTIONS", "/open/7")), allowed, "")
	s.has(s.wants("200 7", ask("PUT", "/open/7")), allowed, "")
	s.has(s.wants("404 ...", ask("PUT", "/elsewhere")), allowed, "")

	whole := s.another()
	whole.Use(cors)
	whole.GET("/notes", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "notes") })
	whole.PUT("/notes/:id", sayValue("id"))
	s.start(whole)
	probe("")
}
