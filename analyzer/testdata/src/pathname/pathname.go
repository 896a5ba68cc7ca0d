package main

import (
	"net/http"
	"net/http/httptest"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

func use(...any) {}

func main() {
	mux := muxmaster.New()
	mux.GET("/users/:id", getUser)
	mux.GET("/users/:id/posts/:post", getPost)
	mux.GET("/both/:a", both)
	mux.GET("/both/:a/{b:[0-9]+}", both)
	mux.GETFast("/fast/:symbol", fast)
	mux.HandleFunc("GET /std/{name}/{rest...}", std)
	mux.Handle("/with/{key}", auth(http.NotFoundHandler()))
	mux.Handle("/errors/{key}", problem.Handler(failing))
	mux.HandleFast("/hf/{key}", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
		use(ps.Get("key"))
		use(ps.Get("kex"))          // want `no route of this handler has a path parameter "kex"; did you mean "key"\?`
		v, ok := ps.Lookup("value") // want `"value"; they have \["key"\]`
		use(v, ok)
	})
	mux.GET("/literal/:id", func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("id"))
		use(r.PathValue("ID")) // want `did you mean "id"\?`
		func() {
			use(r.PathValue("name")) // want `no route of this handler has a path parameter "name"`
		}()
	})

	mux.Route("/v{version}", func(g *muxmaster.Group) {
		g.GET("/x/:id", versioned)
		g.Route("/deep/:level", deepRoutes)
	})
	mux.Group("/a/:a").With().Group("/b/:b").GET("/c/:c", chained)

	tenant := mux.Host("{tenant}.example.com")
	tenant.Group("/h/:x").GET("/:y", func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("tenant"), r.PathValue("x"), r.PathValue("y"))
		use(r.PathValue("tennant")) // want `no route of this handler has a path parameter "tennant"; did you mean "tenant"\?`
	})

	mux.Mount("/made/:maker", newSub())

	inner, middle := muxmaster.New(), muxmaster.New()
	inner.GET("/:c", nested)
	middle.Mount("/:b", inner)
	mux.Mount("/nested/:a", middle)

	pattern := pathOf("x")
	mux.GET(pattern, unknownPattern)
	mux.GET("/twice/:id", usedTwice)
	other(usedTwice)

	plain := http.NewServeMux()
	plain.HandleFunc("/colon/:id", colonStd)
	http.HandleFunc("/default/{id}", defaultStd)

	http.ListenAndServe(":0", mux)
	h := &handlerType{}
	mux.Handle("/typed/{id}", h)
}

func pathOf(s string) string                         { return "/" + s + "/:anything" }
func other(func(http.ResponseWriter, *http.Request)) {}

func getUser(w http.ResponseWriter, r *http.Request) {
	use(muxmaster.PathParam(r, "id"))
	use(muxmaster.PathParam(r, "userID"))          // want `no route of this handler has a path parameter "userID"; they have \["id"\]`
	n, err := muxmaster.PathParamAs[int](r, "idd") // want `did you mean "id"\?`
	use(n, err)
}

func getPost(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("id"), r.PathValue("post"))
	use(r.PathValue("posts")) // want `did you mean "post"\?`
	helper(r)
}

func helper(r *http.Request) string {
	use(r.PathValue("post"))
	return r.PathValue("comment") // want `no route of this handler has a path parameter "comment"; they have \["id" "post"\]`
}

func both(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("a"), r.PathValue("b"))
	use(r.PathValue("ab")) // want `no route of this handler`
}

func fast(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	use(ps.Get("symbol"), r.PathValue("symbol"))
	use(ps.Get("simbol")) // want `did you mean "symbol"\?`
	go func() {
		use(ps.Get("symbl")) // want `did you mean "symbol"\?`
	}()
}

func std(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("name"), r.PathValue("rest"))
	use(r.PathValue("rest...")) // want `did you mean "rest"\?`
}

func auth(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("key"))
		use(r.PathValue("kye")) // want `did you mean "key"\?`
		next.ServeHTTP(w, r)
	})
}

func failing(w http.ResponseWriter, r *http.Request) error {
	use(r.PathValue("lock")) // want `they have \["key"\]`
	return nil
}

func versioned(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("version"), r.PathValue("id"))
	use(r.PathValue("level")) // want `no route of this handler`
}

func deepRoutes(g *muxmaster.Group) { g.GET("/end/:end", deep) }

func deep(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("version"), r.PathValue("level"), r.PathValue("end"))
	use(r.PathValue("id")) // want `no route of this handler`
}

func chained(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("a"), r.PathValue("b"), r.PathValue("c"))
	use(r.PathValue("dd")) // want `no route of this handler`
}

func nested(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("a"), r.PathValue("b"), r.PathValue("c"))
	use(r.PathValue("dd")) // want `they have \["a" "b" "c"\]`
}

func newSub() http.Handler {
	m := muxmaster.New()
	m.GET("/:thing", func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("maker"), r.PathValue("thing"))
		use(r.PathValue("think")) // want `did you mean "thing"\?`
	})
	return m
}

func colonStd(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("id")) // want `they have none`
}

func defaultStd(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("i")) // want `did you mean "id"\?`
}

// No reports below.

func unknownPattern(w http.ResponseWriter, r *http.Request) { use(r.PathValue("x")) }

func usedTwice(w http.ResponseWriter, r *http.Request) { use(r.PathValue("x")) }

func noRoute(w http.ResponseWriter, r *http.Request) { use(r.PathValue("x")) }

type handlerType struct{}

func (*handlerType) ServeHTTP(w http.ResponseWriter, r *http.Request) { use(r.PathValue("x")) }

func byHand(w http.ResponseWriter, r *http.Request) {
	r.SetPathValue("made", "up")
	req := httptest.NewRequest("GET", "/", nil)
	use(req.PathValue("x"), r.PathValue("made"))
}

func init() { http.HandleFunc("/byhand", byHand) }

func variable(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{"a", "b"} {
		use(r.PathValue(name))
	}
}

func init() { http.HandleFunc("/variable", variable) }

func middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("tenant"))
		next.ServeHTTP(w, r)
	})
}

func init() {
	m := muxmaster.New()
	m.Use(middleware)
	m.GET("/:tenant", getTenant)
}

func getTenant(w http.ResponseWriter, r *http.Request) { use(r.PathValue("tenant")) }
