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
	mux.GET("/static", static)
	mux.POST("/files/*filepath", http.HandlerFunc(upload))
	mux.GET("/both/:a", both)
	mux.GET("/both/:a/{b:[0-9]+}", both)
	mux.GETFast("/fast/:symbol", fast)
	mux.HandleFunc("GET /std/{name}/{rest...}", std)
	mux.Handle("/with/{key}", auth(http.HandlerFunc(wrapped)))
	mux.Handle("/made/{key}", make1("x"))
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

	api := mux.Group("/orgs/:org")
	api.GET("/repos/:repo", repo)
	mux.Route("/v{version}", func(g *muxmaster.Group) {
		g.GET("/x/:id", versioned)
		g.Route("/deep/:level", deepRoutes)
	})
	mux.Group("/a/:a").With().Group("/b/:b").GET("/c/:c", chained)

	sub := muxmaster.New()
	sub.GET("/items/:item", subItem)
	mux.Mount("/shops/:shop", sub)
	mux.Mount("/made/:maker", newSub())

	inner, middle := muxmaster.New(), muxmaster.New()
	inner.GET("/:c", nested)
	middle.Mount("/:b", inner)
	mux.Mount("/nested/:a", middle)

	srv := &server{mux: mux}
	srv.routes()
	register(mux)

	show := func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("id"))
		use(r.PathValue("di")) // want `did you mean "id"\?`
	}
	mux.GET("/show/:id", show)

	pattern := pathOf("x")
	mux.GET(pattern, unknownPattern)
	mux.GET("/twice/:id", usedTwice)
	other(usedTwice)

	plain := http.NewServeMux()
	plain.HandleFunc("GET /plain/{id}", plainStd)
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

func static(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("id")) // want `no route of this handler has a path parameter "id"; they have none`
}

func upload(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("filepath"))
	use(r.PathValue("filePath")) // want `did you mean "filepath"\?`
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

func wrapped(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("key"))
	use(r.PathValue("keys")) // want `did you mean "key"\?`
}

func make1(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("key"))
		use(r.PathValue("k3y")) // want `did you mean "key"\?`
	}
}

func failing(w http.ResponseWriter, r *http.Request) error {
	use(r.PathValue("lock")) // want `they have \["key"\]`
	return nil
}

func repo(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("org"), r.PathValue("repo"))
	use(r.PathValue("ogr")) // want `did you mean "org"\?`
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

func subItem(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("shop"), r.PathValue("item"))
	use(r.PathValue("store")) // want `they have \["item" "shop"\]`
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

type server struct{ mux *muxmaster.Mux }

func (s *server) routes() {
	s.mux.GET("/field/:id", s.handle)
}

func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("id"))
	use(r.PathValue("uid")) // want `did you mean "id"\?`
}

func register(m *muxmaster.Mux) {
	m.GET("/register/:id", func(w http.ResponseWriter, r *http.Request) {
		use(r.PathValue("id"))
		use(r.PathValue("other")) // want `they have \["id"\]`
	})
}

func plainStd(w http.ResponseWriter, r *http.Request) {
	use(r.PathValue("id"))
	use(r.PathValue("uid")) // want `did you mean "id"\?`
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
