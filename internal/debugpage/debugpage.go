// Package debugpage serves a page that shows a router's routes, and the JSON
// behind it. It knows nothing of the router: that hands it the data.
package debugpage

import (
	_ "embed"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
)

//go:embed page.html
var page []byte

// A Source is what the page shows. All of it must be safe for concurrent use.
type Source struct {
	Routes  func() any                      // for routes.json
	Explain func(method, target string) any // for explain.json
	OpenAPI func() (any, error)             // for openapi.json
	Allow   func(*http.Request) bool        // who may look; nil for local clients alone
}

// ServeHTTP serves the page, and below it routes.json, explain.json and
// openapi.json.
func (s *Source) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	allow := s.Allow
	if allow == nil {
		allow = Local
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if !allow(r) {
		http.Error(w, "muxmaster: the routes are shown to local clients only; see DebugHandlerFor", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	switch path.Base(r.URL.Path) {
	case "routes.json":
		writeJSON(w, s.Routes())
	case "explain.json":
		q := r.URL.Query()
		method, target := q.Get("method"), q.Get("path")
		if method == "" {
			method = http.MethodGet
		}
		if !strings.HasPrefix(target, "/") && !strings.Contains(target, "://") {
			http.Error(w, "muxmaster: explain.json needs a path that begins with /, as in ?method=GET&path=/users/1", http.StatusBadRequest)
			return
		}
		writeJSON(w, s.Explain(method, target))
	case "openapi.json":
		doc, err := s.OpenAPI()
		if err != nil {
			http.Error(w, "muxmaster: the OpenAPI document cannot be made", http.StatusInternalServerError)
			return
		}
		writeJSON(w, doc)
	default:
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		w.Write(page)
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "muxmaster: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(append(data, '\n'))
}

// Local reports whether r comes from this machine, directly: its peer has a
// loopback address, no proxy has forwarded it, and the Host is local too, so that
// a page from elsewhere cannot read the answer by DNS rebinding.
func Local(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if len(r.Header[name]) > 0 {
			return false
		}
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
