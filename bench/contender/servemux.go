package contender

import (
	"io"
	"net/http"
	"strings"
)

func init() {
	register(Contender{
		Name: "http.ServeMux", Classes: []Class{Native, Stdlib},
		Style: "func(http.ResponseWriter, *http.Request)", Load: loadServeMux,
	})
}

func loadServeMux(s Spec) http.Handler {
	mux := http.NewServeMux()
	for id, route := range s.Routes {
		pattern := route.Translate("{%s}", "{%s...}")
		if strings.HasSuffix(pattern, "/") {
			pattern += "{$}"
		}
		mux.HandleFunc(route.Method+" "+pattern, pathValueHandler(s, id, ""))
	}
	// http.ServeMux has no middleware; wrap the mux.
	var h http.Handler = mux
	for range s.Middleware {
		h = passOn(h)
	}
	return h
}

// pathValueHandler reads its parameter with r.PathValue. Catch-alls are called
// rest, unless that is "".
func pathValueHandler(s Spec, id int, rest string) http.HandlerFunc {
	name := firstOr(s, id, rest)
	switch s.Work {
	case Read:
		return func(_ http.ResponseWriter, r *http.Request) { use(r.PathValue(name)) }
	case Write:
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.PathValue(name)) }
	case Report:
		return func(_ http.ResponseWriter, r *http.Request) { report(s, id, withRest(r.PathValue, rest)) }
	}
	return returnAtOnce
}
