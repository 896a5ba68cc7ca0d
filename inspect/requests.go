package inspect

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// Requests returns requests that try every route of m and what surrounds it:
// each form of its values, other methods, HEAD and OPTIONS, trailing slashes,
// another case, escaped slashes and dots, empty segments, and unknown paths
// beside and below each route, Group and mounted Mux. The page of [Handler]
// gets only one request. The requests are as a server would get them, without a
// body, a cookie or a login. They come in the order of the routes, without
// duplicates.
func Requests(m *muxmaster.Mux) iter.Seq[*http.Request] {
	return func(yield func(*http.Request) bool) { generate(m.Routes(), yield) }
}

// RequestsOf is like [Requests] for the routes of a routes.json.
func RequestsOf(routes []Route) iter.Seq[*http.Request] {
	list := make([]muxmaster.Route, len(routes))
	for i, r := range routes {
		list[i] = r.Route
	}
	return func(yield func(*http.Request) bool) { generate(slices.Values(list), yield) }
}

// RequestsFor is like [Requests] for patterns such as "GET /users/{id}", for
// example those of another router. It accepts the syntax of muxmaster, and the
// catch-alls /* and {name:.*} of chi and gorilla. It returns an error for a
// pattern that it can't read.
func RequestsFor(patterns ...string) (iter.Seq[*http.Request], error) {
	var routes []muxmaster.Route
	for _, text := range patterns {
		p, err := pattern.Parse(foreignRest.ReplaceAllString(text, "/{rest...}"))
		if err != nil {
			return nil, fmt.Errorf("inspect: pattern %q: %w", text, err)
		}
		methods := p.Methods
		if methods == nil {
			methods = []string{""}
		}
		for _, method := range methods {
			routes = append(routes, muxmaster.Route{Method: method, Host: p.Host, Pattern: p.Path, Below: p.End == pattern.All})
		}
	}
	return func(yield func(*http.Request) bool) { generate(slices.Values(routes), yield) }, nil
}

// foreignRest matches the catch-alls of other routers at the end of a pattern.
var foreignRest = regexp.MustCompile(`/(?:\*|\{\w+:\.[*+]\})$`)

// A generator yields requests that it hasn't yielded before.
type generator struct {
	yield  func(*http.Request) bool
	done   map[string]bool
	values sampler
	hosts  []string // of the routes
	from   origin   // of the requests
	stop   bool     // yield returned false
}

// An origin says which route a request was made for. It is a value of the
// request's context.
type origin struct {
	route  string // its patternPath
	scope  string // the prefix of the Group or mount around it
	beside bool   // the request tries what surrounds the route
}

type originKey struct{}

// maxHosts is the number of hosts on which the paths of all routes are tried.
const maxHosts = 20

// generate yields the requests for routes.
func generate(routes iter.Seq[muxmaster.Route], yield func(*http.Request) bool) {
	g := &generator{yield: yield, done: map[string]bool{}, values: sampler{}}
	for r := range routes {
		if host := sampleHost(r.Host, 0); host != "" && len(g.hosts) < maxHosts && !slices.Contains(g.hosts, host) {
			g.hosts = append(g.hosts, host)
		}
	}
	g.try("", "/", "GET")
	g.try("", "/none-such", "GET", "POST", "OPTIONS")
	for r := range routes {
		p, err := pattern.ParsePath(r.Pattern)
		if err != nil {
			continue // a registered pattern is valid
		}
		if g.stop {
			return
		}
		if isPage(&r) { // its JSON differs with the routes; the page itself shows a lost login
			g.from = origin{route: patternPath(r.Host + r.Pattern)}
			g.try("", strings.TrimSuffix(g.fill(p, 0, -1, "", ""), "/"), "GET")
			continue
		}
		g.from = origin{route: patternPath(r.Host + r.Pattern), scope: innermost(r), beside: true}
		g.scopes(r)
		g.from.beside = false
		g.route(r, p)
	}
}

// allMethods are tried on an example of each route.
var allMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"}

// route yields the requests for a route and its surroundings.
func (g *generator) route(r muxmaster.Route, p *pattern.Pattern) {
	method, host, path := cmp.Or(r.Method, "GET"), sampleHost(r.Host, 0), g.fill(p, 0, -1, "", "")
	g.try(sampleHost(r.Host, 1), path, method)
	g.try(host, path, method)
	g.try("other.example", path, method)
	for _, h := range g.hosts { // where a route of the host may come first
		g.try(h, path, method)
	}
	g.try(host, path, allMethods...)
	g.try(host, path+"?q=1&r=%2F", method)
	g.preflight(host, path, method)
	for n := 1; n < 4; n++ {
		g.try(host, g.fill(p, n, -1, "", ""), method)
	}
	for at := range min(len(p.Names()), 3) {
		for _, raw := range rawValues {
			g.try(host, g.fill(p, 0, at, raw, ""), method)
		}
	}
	if p.End == pattern.All || r.Below {
		base := strings.TrimRight(g.fill(p, 0, -1, "", "/"), "/")
		for _, rest := range rawRests {
			g.try(host, base+rest, method)
		}
		g.try(host, base+"/a/b", allMethods...)
	}
	g.from.beside = true
	for _, v := range variants(path) {
		g.try(host, v, method)
	}
	g.try(host, path+"/none-such", "POST", "OPTIONS")
}

// rawValues are tried for a parameter, as they come in a request line.
var rawValues = []string{
	"a%2Fb", "a%2fb", "%2F", "%2e%2e", "%2e", "a%5Cb", "a%00b", "a%20b", "a+b", "a%25b", "%C3%A9", "%FF", "a.b", ".a", "a:b", "a;b", "a,b", "A", "-1", "0", "007",
	"99999999999999999999", "@", "*", "x.json",
}

// rawRests are tried for the rest of a path.
var rawRests = []string{"", "/", "/a", "/a/", "/a/b", "/a//b", "//a", "/a/../b", "/../a", "/%2e%2e/a", "/a%2Fb", "/a%2F..%2Fb", "/.a", "/a.txt", "/index.html", "/%5C..%5Ca"}

// variants returns other spellings of a path, and paths beside and below it.
func variants(path string) []string {
	trimmed := strings.TrimRight(path, "/")
	parent := trimmed[:strings.LastIndexByte(trimmed, '/')+1]
	first := strings.TrimPrefix(path, "/")
	list := []string{
		trimmed, trimmed + "/", trimmed + "/?q=1", trimmed + "//", "/" + path, "//" + first + "//x",
		"/." + path, "/x/.." + path, "/x/%2e%2e" + path, "/%2e%2e" + path, "/.." + path, parent + "/" + trimmed[len(parent):], parent + "./" + trimmed[len(parent):],
		strings.ToUpper(path), strings.ToLower(path), swapCase(path),
		trimmed + "x", trimmed + "/none-such", trimmed + "/none/such/", parent + "none-such", trimmed + "%2F", trimmed + "%20", trimmed + ";v=1", trimmed + ".json",
		trimmed + "%2Fnone-such", trimmed + "%00",
	}
	if len(parent) > 1 {
		list = append(list, parent[:len(parent)-1]+"%2F"+trimmed[len(parent):])
	}
	for i := range len(first) { // the first letter, escaped
		if c := first[i]; 'a' <= c && c <= 'z' {
			list = append(list, fmt.Sprintf("/%s%%%02X%s", first[:i], c, first[i+1:]))
			break
		}
	}
	return list
}

// swapCase changes the case of the first letter.
func swapCase(path string) string {
	i := strings.IndexFunc(path, func(c rune) bool { return 'a' <= c && c <= 'z' })
	if i < 0 {
		return path
	}
	return path[:i] + strings.ToUpper(path[i:i+1]) + path[i+1:]
}

// innermost returns the prefix of the innermost scope around a route.
func innermost(r muxmaster.Route) (prefix string) {
	for _, s := range r.Scopes {
		prefix = cmp.Or(s.Prefix, prefix)
	}
	return prefix
}

// scopes yields requests that no route below the prefixes of r's scopes may
// serve.
func (g *generator) scopes(r muxmaster.Route) {
	for _, s := range r.Scopes {
		host, prefix := sampleHost(s.Host, 0), ""
		if s.Prefix != "" {
			p, err := pattern.ParsePath(s.Prefix)
			if err != nil {
				continue
			}
			prefix = g.fill(p, 0, -1, "", "")
			g.try(host, prefix, "GET", "POST", "OPTIONS")
			g.try(host, prefix+"x", "GET", "POST", "OPTIONS")
		}
		for _, rest := range []string{"/", "/none-such", "/none/such/"} {
			g.try(host, prefix+rest, "GET", "POST", "OPTIONS")
		}
	}
}

// fill is the same as that of the sampler, for any path.
func (g *generator) fill(p *pattern.Pattern, n, at int, raw, rest string) string {
	path, _ := g.values.fill(p, n, at, raw, rest)
	return path
}

// try yields requests for a target with the methods.
func (g *generator) try(host, target string, methods ...string) {
	for _, method := range methods {
		if r := serverRequest(method, host, target); r != nil {
			g.request(r)
		}
	}
}

// preflight yields the request of a browser that asks by CORS for a method.
func (g *generator) preflight(host, target, method string) {
	if r := serverRequest("OPTIONS", host, target); r != nil {
		r.Header.Set("Origin", "https://other.example")
		r.Header.Set("Access-Control-Request-Method", method)
		g.request(r)
	}
}

func (g *generator) request(r *http.Request) {
	key := r.Method + " " + r.Host + r.RequestURI + " " + r.Header.Get("Origin")
	if g.stop || g.done[key] {
		return
	}
	g.done[key] = true
	g.stop = !g.yield(r.WithContext(context.WithValue(context.Background(), originKey{}, g.from)))
}

// serverRequest returns a request as a server gets it, for a target as it is in
// the request line: a path, with escapes and a query as they come. The host is
// example.com if it is "". It returns nil if a server would refuse the target.
func serverRequest(method, host, target string) *http.Request {
	u, err := url.ParseRequestURI(target)
	if err != nil || method == "" {
		return nil
	}
	return &http.Request{
		Method: method, URL: u, RequestURI: target, Host: cmp.Or(host, "example.com"),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, RemoteAddr: "192.0.2.1:1234",
	}
}
