package main

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

// Routes that functions and loops register.

type service struct{ mux *muxmaster.Mux }

func (s *service) get(path string, h http.HandlerFunc) { s.mux.GET("/api"+path, logged(h)) }

func register2(m *muxmaster.Mux, method, path string, h http.Handler) {
	m.Method(method, path, h)
}

func logged(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { next(w, r) }
}

type entry struct {
	method, path string
	handler      http.HandlerFunc
}

var table = []entry{{"DELETE", "/global/:key", globalTable}}

func init() {
	s := &service{muxmaster.New()}
	s.get("/given/:id", s.given)
	s.get("/given/:id/:more", s.givenMore)
	register2(s.mux, "GET", "/handler/:x", http.HandlerFunc(handlerGiven))
	add := func(path string, h http.HandlerFunc) { s.mux.POST(path, h) }
	add("/literal/:name", literalGiven)
	for _, e := range []entry{
		{"GET", "/table/:x", inTable},
		{method: "PUT", path: "/table/:x/:y", handler: logged(alsoInTable)},
	} {
		s.mux.Method(e.method, e.path, e.handler)
	}
	for _, e := range table {
		s.mux.Method(e.method, e.path, e.handler)
	}
	h := s.methodValue
	s.mux.GET("/value/:id", h)
	key := requires("key")
	s.mux.Handle("/made/{key}", key(http.HandlerFunc(behindMade)))
	http.ListenAndServe(":0", s.mux)
}

func (s *service) given(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("id"))
	use(r.PathValue("uid")) // want `did you mean "id"\?`
}

func (s *service) givenMore(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("none")) // want `they have \["id" "more"\]`
}

func handlerGiven(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("x"))
	use(r.PathValue("name")) // want `they have \["x"\]`
}

func literalGiven(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("nam")) // want `did you mean "name"\?`
}

func inTable(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("x"))
	use(r.PathValue("y")) // want `they have \["x"\]`
}

func alsoInTable(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("x"), r.PathValue("y"))
	use(r.PathValue("key")) // want `they have \["x" "y"\]`
}

func globalTable(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("kee")) // want `did you mean "key"\?`
}

func (s *service) methodValue(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("uid")) // want `did you mean "id"\?`
}

func requires(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			use(r.PathValue("kex")) // want `did you mean "key"\?`
			next.ServeHTTP(w, r)
		})
	}
}

func behindMade(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("part")) // want `they have \["key"\]`
	use(param("key", r))
	use(param("owner", r)) // want `no route of this handler has a path parameter "owner"; they have \["key"\]`
	use(lower("owner", r))
	use(param("owner", foreign))
}

func param(name string, r *http.Request) string { return r.PathValue(name) }

func lower(name string, r *http.Request) string {
	name = "k" + name[5:] + "ey"
	return r.PathValue(name)
}

var foreign *http.Request

// No reports below.

func recursive(m *muxmaster.Mux, path string, n int, h http.HandlerFunc) {
	m.GET(path, h)
	if n > 0 {
		recursive(m, path+"/:next", n-1, h)
	}
}

func variants(m *muxmaster.Mux, h http.HandlerFunc) func(string, http.HandlerFunc) {
	return func(path string, h http.HandlerFunc) { m.POST(path, h) }
}

func changing(m *muxmaster.Mux, path string, h http.HandlerFunc) {
	path += "/:changed"
	m.GET(path, h)
}

var changingTable = []entry{{"GET", "/first/:id", inChangingTable}}

func init() {
	m := muxmaster.New()
	recursive(m, "/recursive/:id", 3, inRecursive)
	variants(m, nil)("/variants/:id", inVariants)
	s := &service{m}
	get := s.get
	get("/get/:id", throughValue)
	changing(m, "/changing/:id", inChanging)
	for i := range changingTable {
		changingTable[i].path += "/:changed"
	}
	for _, e := range changingTable {
		m.Method(e.method, e.path, e.handler)
	}
	for _, e := range []entry{{"GET", "/loop/:id", inChangingLoop}} {
		e.path += "/:changed"
		m.Method(e.method, e.path, e.handler)
	}
	more := []entry{{"GET", "/first/:x", inMore}}
	more = append(more, entry{"GET", "/more/:id", inMore})
	for _, e := range more {
		m.Method(e.method, e.path, e.handler)
	}
}

func inRecursive(w http.ResponseWriter, r *http.Request)  { use(r.PathValue("next")) }
func inVariants(w http.ResponseWriter, r *http.Request)   { use(r.PathValue("x")) }
func throughValue(w http.ResponseWriter, r *http.Request) { use(r.PathValue("x")) }
func inMore(w http.ResponseWriter, r *http.Request)       { use(r.PathValue("x")) }

func inChanging(w http.ResponseWriter, r *http.Request)      { use(r.PathValue("changed")) }
func inChangingTable(w http.ResponseWriter, r *http.Request) { use(r.PathValue("changed")) }
func inChangingLoop(w http.ResponseWriter, r *http.Request)  { use(r.PathValue("changed")) }
