package inspect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-1954dcaa/muxmaster"
)

// Handler returns a handler that serves a web page about the routes of m: a
// searchable tree, a form that explains which route serves a request and why the
// others don't, and warnings about suspicious routes. Mount it on any path:
//
//	mux.Mount("/debug/routes", inspect.Handler(mux))
//
// Below that path it also serves routes.json, routes.txt, openapi.json and
// explain.json?method=GET&path=/x. The page loads nothing from other servers.
// openapi.json has what a [Document] says that is an annotation of the page's own
// route or, if that is on another Mux, of any route of m.
//
// The handler responds only to clients on the same machine that connect
// directly. It recognizes a proxy by the headers that it adds, so behind a proxy
// on this machine that adds none, use [HandlerFor] and choose the clients. Don't
// make the page public: it shows the structure of the service, including file
// names.
func Handler(m *muxmaster.Mux) http.Handler { return newPage(m, nil, nil) }

// HandlerFor is like [Handler] but responds to the clients whose address, in
// Request.RemoteAddr, is in one of the networks. Behind a proxy, that is the
// proxy's address unless middleware.RealIPFrom runs before, in Pre. To admit
// everybody who has logged in, mount it behind the login and allow 0.0.0.0/0 and
// ::/0. HandlerFor panics without a network.
func HandlerFor(m *muxmaster.Mux, allow ...netip.Prefix) http.Handler {
	if len(allow) == 0 {
		panic("inspect: HandlerFor: name the networks that may see the page, or use Handler for local clients")
	}
	return newPage(m, nil, allow)
}

// inNetworks returns a function that reports whether the address of a client is
// in one of the networks.
func inNetworks(networks []netip.Prefix) func(*http.Request) bool {
	allow := slices.Clone(networks)
	for i, p := range allow {
		if p.Addr().Is4In6() { // as all addresses, without the IPv6 around it
			allow[i] = netip.PrefixFrom(p.Addr().Unmap(), max(p.Bits()-96, 0))
		}
	}
	return func(r *http.Request) bool {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		addr := peer.Addr()
		if err != nil {
			if addr, err = netip.ParseAddr(r.RemoteAddr); err != nil { // as middleware.RealIP leaves it
				return false
			}
		}
		addr = addr.Unmap().WithZone("")
		return slices.ContainsFunc(allow, func(p netip.Prefix) bool { return p.Contains(addr) })
	}
}

// newPage returns the page for clients in the networks, or for local ones.
func newPage(m *muxmaster.Mux, coverage *Coverage, networks []netip.Prefix) http.Handler {
	if m == nil {
		panic("inspect: the Mux is nil")
	}
	m.Routes() // panics if m wasn't made by muxmaster.New
	return &routesPage{m, coverage, newAudience(networks)}
}

// An audience is the clients that may see a page.
type audience struct {
	allow   func(*http.Request) bool
	refusal string // what others are told
}

func newAudience(networks []netip.Prefix) audience {
	if len(networks) == 0 {
		return audience{isLocal, "inspect: this page is shown to local clients only; see HandlerFor"}
	}
	return audience{inNetworks(networks), "inspect: this page is shown only to clients in the networks of HandlerFor, behind a proxy by the address that middleware.RealIPFrom finds"}
}

// admits reports whether the client may see the page. It writes the response if not.
func (a *audience) admits(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	switch {
	case !a.allow(r):
		http.Error(w, a.refusal, http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	default:
		return true
	}
	return false
}

// A routesPage serves the page and its data.
type routesPage struct {
	mux      *muxmaster.Mux
	coverage *Coverage // or nil
	audience
}

// isPage reports whether r is the page's own route, which is no part of what the
// program serves.
func isPage(r *muxmaster.Route) bool { return r.Handler == pageName }

// pageName is the name of routesPage in Route.Handler.
var pageName = fmt.Sprintf("%T", new(routesPage))

// ServeHTTP serves the page, and below it routes.json, routes.txt, explain.json,
// openapi.json and coverage.json.
func (p *routesPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if !p.admits(w, r) {
		return
	}
	switch path.Base(r.URL.Path) {
	case "routes.json":
		routes := p.list()
		examine(p.mux, routes)
		writeJSON(w, routes)
	case "routes.txt":
		h.Set("Content-Type", "text/plain; charset=utf-8")
		Print(w, p.mux)
	case "coverage.json":
		if p.coverage == nil {
			http.Error(w, "inspect: requests are not counted; see Coverage.Page", http.StatusNotFound)
			return
		}
		writeJSON(w, p.coverage.Routes())
	case "explain.json":
		q := r.URL.Query()
		method, target := q.Get("method"), q.Get("path")
		if method == "" {
			method = http.MethodGet
		}
		if !strings.HasPrefix(target, "/") && !strings.Contains(target, "://") {
			http.Error(w, "inspect: explain.json needs a path that begins with /, as in ?method=GET&path=/users/1", http.StatusBadRequest)
			return
		}
		writeJSON(w, p.mux.Explain(method, target))
	case "openapi.json":
		doc, err := OpenAPI(p.mux, p.document(r))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		writeJSON(w, doc)
	default:
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		p.page(w, http.NewResponseController(w).Flush)
	}
}

// list returns the routes before they are examined, with their use if it is counted.
func (p *routesPage) list() []Route {
	routes := listRoutes(p.mux)
	if p.coverage != nil {
		p.coverage.mark(routes)
	}
	return routes
}

// document returns the annotation of the page's route or, if that is on another
// Mux, of any route, or else a Document without schemas.
func (p *routesPage) document(r *http.Request) Document {
	routes := p.mux.Routes()
	if own, _ := p.mux.Lookup(r); isPage(&own) {
		routes = slices.Values([]muxmaster.Route{own})
	}
	for route := range routes {
		for _, value := range route.Annotations() {
			if d, ok := value.(Document); ok {
				return d
			}
		}
	}
	return Document{Title: "Routes", partial: true}
}

// visible escapes characters in JSON that can't be seen, and change how others are
// shown: those for right-to-left text, for example.
func visible(data []byte) []byte {
	return unseen.ReplaceAllFunc(data, func(c []byte) []byte {
		r, _ := utf8.DecodeRune(c)
		var escaped []byte
		for _, unit := range utf16.AppendRune(nil, r) {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
		return escaped
	})
}

var unseen = regexp.MustCompile(`[\x{7F}-\x{9F}\p{Cf}\p{Co}]`)

func writeJSON(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "inspect: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(append(visible(data), '\n'))
}
