package routes

import (
	"go/types"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/analyzer/internal/mux"
)

// A Table serves the routes of a package.
type Table struct{ muxes []*muxmaster.Mux }

// Table returns the routes of the package, without its tests, if it certainly
// knows all of them: it has at least one, all patterns are constant, and no
// other package can add to a mux or mount it. Otherwise it returns nil.
func (r *Result) Table() *Table {
	if r.Open {
		return nil
	}
	roots := make(map[any]*muxmaster.Mux)
	t := new(Table)
	for _, route := range r.Routes {
		if mux.InTest(r.pass, route.Call) {
			continue
		}
		if !route.Known {
			return nil
		}
		for _, place := range r.Places(route) {
			if obj, ok := place.Root.(types.Object); ok && r.escapes(obj) || !place.whole {
				return nil
			}
			if len(r.mounts[place.Root]) > 0 {
				continue // it is at another place, too
			}
			if roots[place.Root] == nil {
				roots[place.Root] = muxmaster.New()
				t.muxes = append(t.muxes, roots[place.Root])
			}
			place.host = ""                   // a link is to the host of its page
			place.Register(roots[place.Root]) // package pattern reports errors
		}
	}
	for _, mounts := range r.mounts {
		for _, m := range mounts {
			if !m.known {
				return nil
			}
		}
	}
	if len(t.muxes) == 0 {
		return nil
	}
	return t
}

// Serves reports whether a route serves a request with one of the methods. It
// also reports true if the target isn't an absolute path.
func (t *Table) Serves(target string, methods ...string) bool {
	u, err := url.ParseRequestURI(target)
	if err != nil || u.Host != "" || u.Path == "" || u.Path[0] != '/' {
		return true
	}
	for _, m := range t.muxes {
		for _, method := range methods {
			w := httptest.NewRecorder()
			m.ServeHTTP(w, &http.Request{Method: method, URL: u, RequestURI: target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "example.com", Header: http.Header{}})
			if w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
				return true
			}
		}
	}
	return false
}
