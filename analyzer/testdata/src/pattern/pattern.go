package pattern

import (
	"net/http"

	"github.com/seed-1954dcaa/muxmaster"
)

func h(w http.ResponseWriter, r *http.Request)                        {}
func fast(w http.ResponseWriter, r *http.Request, _ muxmaster.Params) {}

var handler http.Handler = http.HandlerFunc(h)

const users = "/const/:id/:id"

func panics() {
	mux := muxmaster.New()
	mux.GET("users", h)                          // want `this pattern panics: the path must begin with /`
	mux.GET(users, h)                            // want `this pattern panics: the parameter name "id" is used twice`
	mux.GET("/a/{id", h)                         // want `this pattern panics: a { is not closed`
	mux.GETFast("/a/:", fast)                    // want `this pattern panics: the parameter in ":" needs a name`
	mux.Handle("", handler)                      // want `this pattern panics: the pattern is empty`
	mux.Handle("GET,GET /x", handler)            // want `the method GET is listed twice`
	mux.HandleFunc("/a/{$}/b", h)                // want `\{\$\} must be the last segment`
	mux.HandleFast("/a/{x...}/b/{y...}/c", fast) // want `the second one inside the path`
	_ = mux.TryHandle("/a/{1}", handler)         // want `bad parameter name "1"`
	mux.Group("v1")                              // want `this prefix panics: the path must begin with /`
	mux.Group("/v1").GET("x/{"+"id", h)          // want `this pattern panics`
}

func dialects() {
	mux := muxmaster.New()
	mux.GET("/u1/<id>", h)                       // want `this pattern panics: "<id>": a parameter is written {id}`
	mux.GET("/u4/[...rest]", h)                  // want `the rest of the path is written {rest...}`
	mux.GET("/u5/*", h)                          // want `this pattern panics: .* a catch-all needs a name`
	mux.GET("/u7/{path*}", h)                    // want `this pattern panics: .* the rest of the path is written {path...}`
	mux.GET("/u9/{id?}", h)                      // want `no parameter is optional`
	mux.GET("/u12/{rest:.*}", h)                 // want `write \{rest...\} for the rest of the path, \{rest\} for one segment`
	mux.GET("/u14/%s", h)                        // want `this pattern panics: "%s": a parameter is written {name}`
	mux.Group("/u17/<tenant>")                   // want `this prefix panics: "<tenant>": a parameter is written {tenant}`
	mux.Handle("GET|POST /x", handler)           // want `this pattern panics: separate methods with commas: GET,POST`
	mux.Method("GET,POST", "/u18/<id>", handler) // want `this pattern panics: "<id>"`
	mux.Method("get", "/u19", handler)           // want `this pattern panics: the method get is written GET`
}

func unreachable() {
	mux := muxmaster.New()
	mux.GET("/a/./b", h)               // want `this pattern panics: the path can never match`
	mux.GET("/a//b", h)                // want `this pattern panics: the path can never match`
	mux.Handle("/a//c", handler)       // want `no request reaches this route: paths are cleaned`
	mux.Handle("/a/../b", handler)     // want `no request reaches this route: paths are cleaned`
	mux.Handle("get /lower", handler)  // want `this pattern panics: the method get is written GET`
	mux.Handle("GET/nospace", handler) // want `this pattern panics: "GET" is the host of this pattern; write a space between method and path`
}

func scopes(mux *muxmaster.Mux) {
	mux.Group("/t/:id").GET("/x/:id", h)       // want `this pattern panics: the parameter name "id" is used twice`
	mux.Group("/t/*rest")                      // want `this prefix panics: a prefix cannot end in a catch-all`
	mux.Route("v2", func(g *muxmaster.Group) { // want `this prefix panics: the path must begin with /`
		g.GET("x", h) // want `this pattern panics: the path must begin with /`
	})
	mux.Mount("sub", handler) // want `this prefix panics: the path must begin with /`
	e := &embedding{Mux: mux}
	e.GET("x", h)     // want `this pattern panics: the path must begin with /`
	e.Mux.GET("x", h) // want `this pattern panics: the path must begin with /`
	for range 2 {
		defer e.GET("x", h) // want `this pattern panics: the path must begin with /`
	}
}

type embedding struct{ *muxmaster.Mux }

func std() {
	mux := http.NewServeMux()
	mux.HandleFunc("/u/:id", h)         // want `:id is literal text for http.ServeMux: a parameter is written {id}`
	mux.HandleFunc("/f/*path", h)       // want `\*path is literal text for http.ServeMux: the rest of the path is written {path...}`
	mux.HandleFunc("GET /x/{id", h)     // want `this pattern panics: bad wildcard segment`
	mux.HandleFunc("/p/{name}.json", h) // want `this pattern panics: bad wildcard segment`
	http.HandleFunc("bad path", h)      // want `this pattern panics`
}

// No reports below.

func right() {
	mux := muxmaster.New()
	mux.GET("/", h)
	mux.GET("/users/:id", h)
	mux.POST("/users/:id", h)
	mux.ANY("/users/:id", h)
	mux.GET("/users/me", h)
	mux.GET("/users/{id:[0-9]+}", h)
	mux.GET("/users/{id:[a-z]+}", h)
	mux.GET("/users/{id:[a-z]+}/posts", h)
	mux.GET("/narrow/{id:[0-9]+}/x", h)
	mux.GET("/narrow/{id:[^/]+}/x", h)
	mux.GET("/users/{id:[0-9]+}/comments", h)
	mux.GET("/{name}.json", h)
	mux.GET("/v{major}.{minor}/x", h)
	mux.GET("/{id}:cancel", h)
	mux.GET("/static/*filepath", h)
	mux.Handle("GET,POST example.com/static/{filepath...}", handler)
	mux.GET("/x/", h)
	mux.GET("/x", h)
	mux.GET("/y/{$}", h)
	mux.HandleFunc("PURGE /cache/{key...}", h)
	mux.GET("/mixed/{a:[^/]*}-{b}", h)
	std := http.NewServeMux()
	std.HandleFunc("/u/{id}", h)
	std.HandleFunc("GET /u/{id}", h)
	std.HandleFunc("GET /u/list", h)
	std.HandleFunc("/v1/items/{id}/", h)
}

func variable(mux *muxmaster.Mux, path string) { mux.GET(path, h) }
