package muxmaster_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// This file is the router a second time, without a thought for speed: a list of
// routes, each compared with the whole path. FuzzMatch holds the real one against
// it. It knows no pattern syntax; routes are put together from the parts below,
// which say what they mean.

// A refPart is literal text or a parameter.
type refPart struct {
	text  string
	param bool
	expr  string
}

// A refSeg is a segment as it is written, with # for the number that makes
// parameter names differ, and what it means.
type refSeg struct {
	written string
	parts   []refPart
}

var param = refPart{param: true}

func expr(e string) refPart    { return refPart{param: true, expr: e} }
func text(s string) refPart    { return refPart{text: s} }
func lit(s string) refSeg      { return refSeg{s, []refPart{text(s)}} }
func (s refSeg) literal() bool { return len(s.parts) == 1 && !s.parts[0].param }

var refSegs = []refSeg{
	lit("a"), lit("b"), lit("ab"), lit("1"), lit("..."), lit("a.b"), lit("12345678"), lit("123456789abcdef0"), lit("longer-than-sixteen-bytes"),
	{"a%2Fb", []refPart{text("a/b")}},
	{"%FF", []refPart{text("\xff")}},
	{"{p#}", []refPart{param}},
	{":p#", []refPart{param}},
	{"{p#:[0-9]+}", []refPart{expr("[0-9]+")}},
	{"{p#:[ab]+}", []refPart{expr("[ab]+")}},
	{"{p#:a|b.*}", []refPart{expr("a|b.*")}},
	{"a{p#}", []refPart{text("a"), param}},
	{"a:p#", []refPart{text("a"), param}},
	{"{p#}b", []refPart{param, text("b")}},
	{"a{p#}b", []refPart{text("a"), param, text("b")}},
	{"{p#}.{q#}", []refPart{param, text("."), param}},
	{"{p#}.{q#}.{r#}", []refPart{param, text("."), param, text("."), param}},
	{"{p#:[ab]+}b", []refPart{expr("[ab]+"), text("b")}},
	{"{p#:[a.]+}b", []refPart{expr("[a.]+"), text("b")}},
	{"{p#:[0-9.]+}.{q#}", []refPart{expr("[0-9.]+"), text("."), param}},
}

var refPathSegs = []string{
	"a", "b", "ab", "1", "12", "1.2", "aab", "abb", "a.b", "a.b.c", "a..b", "a...b", "...", "....", "a.", "a..", ".b", "..b", ".", "..", "%2e", ".%2E", "",
	"a%2Fb", "%2F", "a%2F", "..%2Fb", "a%2F%2e%2Fb", "b%2F...", "%FF", "a%FFb", "%61", "x", "12345678", "1234567", "123456789abcdef0", "longer-than-sixteen-bytes", "longer-THAN-sixteen-bytes", "1.2.b", "%25", "a%20b", "%00",
}

// fits returns the path segments that the segment matches.
func (s refSeg) fits() (list []string) {
	for _, p := range refPathSegs {
		if d, err := url.PathUnescape(p); err == nil && splits(s.parts, d, false) {
			list = append(list, p)
		}
	}
	return list
}

const (
	refExact = iota // nothing follows the segments
	refSlash        // a slash
	refAll          // a slash and the rest
)

// A refRoute is a route of the reference.
type refRoute struct {
	method string // "": every
	host   string
	segs   []refSeg
	end    int
	ending string // how the end is written
	named  bool   // the rest is a value,
	slash  bool   // which begins with a slash
	verb   bool   // registered with a verb method
}

func (rt refRoute) path() string {
	var b strings.Builder
	for i, s := range rt.segs {
		b.WriteString("/" + strings.ReplaceAll(s.written, "#", fmt.Sprint(i)))
	}
	return b.String() + rt.ending
}

func (rt refRoute) pattern() string {
	if rt.method == "" {
		return rt.host + rt.path()
	}
	return rt.method + " " + rt.host + rt.path()
}

// shape is the first n segments without names; of all of them and the end if n
// is negative.
func (rt refRoute) shape(n int) string {
	if n < 0 {
		return fmt.Sprint(rt.shape(len(rt.segs)), rt.end)
	}
	var b strings.Builder
	for _, s := range rt.segs[:n] {
		for _, p := range s.parts {
			fmt.Fprintf(&b, "%q %v %q,", p.text, p.param, p.expr)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (rt refRoute) conflicts(other refRoute) bool {
	return rt.host == other.host && rt.method == other.method && rt.shape(-1) == other.shape(-1)
}

// A refPath is a path split at its slashes, each segment decoded.
type refPath []string

func splitPath(escaped string) refPath {
	var p refPath
	for _, s := range strings.Split(strings.TrimPrefix(escaped, "/"), "/") {
		d, err := url.PathUnescape(s)
		if err != nil {
			d = s
		}
		p = append(p, d)
	}
	return p
}

func (p refPath) slashed() bool  { return p[len(p)-1] == "" }
func (p refPath) add() refPath   { return append(slices.Clone(p), "") }
func (p refPath) strip() refPath { return p[:len(p)-1] }

func (p refPath) clean() bool {
	for i, s := range p {
		if s == "" && i < len(p)-1 || s == "." || s == ".." {
			return false
		}
	}
	return true
}

// cleanEscaped is the escaped path without its empty and dot segments.
func cleanEscaped(escaped string) string {
	var out []string
	segs := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	for _, s := range segs {
		switch d, _ := url.PathUnescape(s); d {
		case "", ".":
		case "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, s)
		}
	}
	clean := "/" + strings.Join(out, "/")
	if segs[len(segs)-1] == "" && clean != "/" {
		clean += "/"
	}
	return clean
}

func refValue(s string, connect bool) bool {
	return s != "" && (connect || s != "." && s != "..")
}

// splits reports whether the parts can be read in s.
func splits(parts []refPart, s string, connect bool) bool {
	if len(parts) == 0 {
		return s == ""
	}
	p := parts[0]
	if !p.param {
		return strings.HasPrefix(s, p.text) && splits(parts[1:], s[len(p.text):], connect)
	}
	for n := 1; n <= len(s); n++ {
		if refValue(s[:n], connect) && p.accepts(s[:n]) && splits(parts[1:], s[n:], connect) {
			return true
		}
	}
	return false
}

var compiled = map[string]*regexp.Regexp{}

func (p refPart) accepts(s string) bool {
	if p.expr == "" {
		return true
	}
	re := compiled[p.expr]
	if re == nil {
		re = regexp.MustCompile(`\A(?:` + p.expr + `)\z`)
		compiled[p.expr] = re
	}
	return re.MatchString(s)
}

// matches reports whether rt matches the path.
func (rt refRoute) matches(p refPath, connect bool) bool {
	n := len(rt.segs)
	switch rt.end {
	case refExact:
		if len(p) != n {
			return false
		}
	case refSlash:
		if len(p) != n+1 || !p.slashed() {
			return false
		}
	case refAll:
		if len(p) <= n {
			return false
		}
		// No named rest has a dot segment, not even between slashes that were escaped.
		rest := strings.Split(strings.Join(p[n:], "/"), "/")
		if rt.named && !connect && (slices.Contains(rest, ".") || slices.Contains(rest, "..")) {
			return false
		}
	}
	for i, seg := range rt.segs {
		if seg.literal() && p[i] != seg.parts[0].text || !seg.literal() && !splits(seg.parts, p[i], connect) {
			return false
		}
	}
	return true
}

// holds reports whether vals are values with which rt matches p.
func (rt refRoute) holds(p refPath, vals []string, connect bool) bool {
	take := func() string {
		if len(vals) == 0 {
			return ""
		}
		v := vals[0]
		vals = vals[1:]
		return v
	}
	for i, seg := range rt.segs {
		var b strings.Builder
		for _, part := range seg.parts {
			if !part.param {
				b.WriteString(part.text)
				continue
			}
			v := take()
			if !refValue(v, connect) || !part.accepts(v) {
				return false
			}
			b.WriteString(v)
		}
		if b.String() != p[i] {
			return false
		}
	}
	if rt.named {
		rest := strings.Join(p[len(rt.segs):], "/")
		if rt.slash {
			rest = "/" + rest
		}
		if take() != rest {
			return false
		}
	}
	return len(vals) == 0
}

type refMux struct {
	routes        []refRoute
	redirectSlash bool
	connect       bool // the request to serve is a CONNECT, whose path is not cleaned
}

// find returns the indexes of the routes that may serve the path: one, or several
// where the order between them is not said.
func (m refMux) find(method, host string, p refPath) []int {
	methods := []string{method, ""}
	if method == "HEAD" {
		methods = []string{"HEAD", "GET", ""}
	}
	for _, h := range slices.Compact([]string{host, ""}) {
		for _, meth := range methods {
			var c []int
			for i, rt := range m.routes {
				if rt.host == h && rt.method == meth && rt.matches(p, m.connect) {
					c = append(c, i)
				}
			}
			if len(c) > 0 {
				return m.best(c, 0)
			}
		}
	}
	return nil
}

// rank orders what stands at place i of a route, the first to be tried first.
func (rt refRoute) rank(i int) (rank int) {
	if i >= len(rt.segs) {
		return map[int]int{refExact: 0, refSlash: 0, refAll: 1 << 20}[rt.end]
	}
	seg := rt.segs[i]
	switch {
	case seg.literal():
		return 0
	case len(seg.parts) > 1:
		n := 0
		for _, p := range seg.parts {
			n += len(p.text)
		}
		return 1<<10 - n
	case seg.parts[0].expr != "":
		return 1 << 11
	}
	return 1 << 12
}

// best picks among routes that are alike in their first i segments.
func (m refMux) best(c []int, i int) []int {
	if len(c) == 1 || i > len(m.routes[c[0]].segs) {
		return c
	}
	first := m.routes[slices.MinFunc(c, func(a, b int) int { return m.routes[a].rank(i) - m.routes[b].rank(i) })].rank(i)
	groups := map[string][]int{}
	for _, k := range c {
		if rt := m.routes[k]; rt.rank(i) == first {
			key := rt.shape(min(i+1, len(rt.segs)))
			groups[key] = append(groups[key], k)
		}
	}
	// Two different constraints at one place are tried in the order of registration.
	if first == 1<<11 && len(groups) > 1 {
		host := m.routes[c[0]].host
		for _, rt := range m.routes {
			if rt.host == host && i < len(rt.segs) {
				if g, ok := groups[rt.shape(i+1)]; ok {
					return m.best(g, i+1)
				}
			}
		}
	}
	var all []int
	for _, g := range groups {
		all = append(all, m.best(g, i+1)...)
	}
	return all
}

// exact reports whether the route matches the slashed path with nothing behind
// the slash.
func (rt refRoute) exact(p refPath) bool { return rt.end != refAll || len(p) == len(rt.segs)+1 }

// redirect says where the path leads for its last slash: 1 for adding, -1 for
// removing it. sure is false where the rules of both doors meet.
func (m refMux) redirect(method, host string, p refPath, found []int) (slash int, sure bool) {
	if !p.slashed() {
		to := m.find(method, host, p.add())
		catchAll := len(found) > 0 && m.routes[found[0]].end == refAll
		if len(found) > 0 && !catchAll {
			return 0, true
		}
		handle, verb := 0, 0
		for _, k := range to {
			if rt := m.routes[k]; rt.exact(p.add()) {
				if rt.verb {
					verb++
				} else {
					handle++
				}
			}
		}
		mixed := len(to) > 1 || catchAll && m.routes[found[0]].verb || m.bothDoors()
		switch {
		case handle > 0:
			return 1, !mixed
		case verb > 0 && m.redirectSlash && len(found) == 0:
			return 1, !mixed
		}
		return 0, !mixed
	}
	if len(found) == 0 && m.redirectSlash && len(p) > 1 {
		for _, k := range m.find(method, host, p.strip()) {
			if m.routes[k].verb {
				return -1, !m.bothDoors()
			}
		}
	}
	return 0, !m.bothDoors()
}

func (m refMux) bothDoors() bool {
	verbs := 0
	for _, rt := range m.routes {
		if rt.verb {
			verbs++
		}
	}
	return verbs > 0 && verbs < len(m.routes)
}

var allowOrder = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "QUERY", "BREW", "WHEN"}

// allow returns the Allow header of a path that has a route for another method.
// Where several routes may be the one to match the slashed path, it believes in a
// redirect there if one of them would redirect or, if sure, all of them would.
func (m refMux) allow(host string, p refPath, sure bool) string {
	serves := func(method string) bool {
		if len(m.find(method, host, p)) > 0 {
			return true
		}
		if p.slashed() {
			return false
		}
		to := m.find(method, host, p.add())
		redirects := 0
		for _, k := range to {
			if !m.routes[k].verb && m.routes[k].exact(p.add()) {
				redirects++
			}
		}
		return redirects > 0 && (!sure || redirects == len(to))
	}
	var list []string
	for _, method := range allowOrder {
		if serves(method) || method == "HEAD" && serves("GET") {
			list = append(list, method)
		}
	}
	if len(list) == 0 && !serves("OPTIONS") {
		return ""
	}
	return strings.Join(append(list, "OPTIONS"), ", ")
}

// check returns what is wrong with an answer.
func (m refMux) check(method, host, escaped, query string, got answer) string {
	p := splitPath(escaped)
	m.connect = method == "CONNECT"
	if !m.connect && !p.clean() {
		clean := cleanEscaped(escaped)
		ok := []string{clean + query}
		cp := splitPath(clean)
		switch slash, _ := m.redirect(method, host, cp, m.find(method, host, cp)); slash {
		case 1:
			ok = append(ok, clean+"/"+query)
		case -1:
			ok = append(ok, strings.TrimSuffix(clean, "/")+query)
		}
		if got.status != 307 || !slices.Contains(ok, got.location) {
			return fmt.Sprintf("want 307 to one of %q", ok)
		}
		return ""
	}
	found := m.find(method, host, p)
	slash, sure := m.redirect(method, host, p, found)
	to := escaped + "/"
	if slash < 0 {
		to = strings.TrimSuffix(escaped, "/")
	}
	if m.connect && slash != 0 { // whose path may be unclean
		to = cleanEscaped(to)
	}
	redirected := got.status == 307 && got.location == to+query
	if redirected && (slash != 0 || !sure && !p.slashed()) {
		return ""
	}
	if slash != 0 && sure {
		return "want 307 to " + to + query
	}
	if len(found) > 0 {
		var k int
		var vals []string
		if got.status != 200 || !parseServed(got.body, &k, &vals) {
			return fmt.Sprintf("want a route of %q", m.patterns(found))
		}
		if !slices.Contains(found, k) {
			return fmt.Sprintf("served by %q, want one of %q", m.routes[k].pattern(), m.patterns(found))
		}
		if !m.routes[k].holds(p, vals, m.connect) {
			return fmt.Sprintf("served by %q with wrong values %q", m.routes[k].pattern(), vals)
		}
		return ""
	}
	if !sure && slash != 0 {
		return "" // the doors' rules meet
	}
	var want answer
	for _, sure := range []bool{true, false} {
		want = answer{status: 404, allow: m.allow(host, p, sure)}
		switch {
		case want.allow != "" && method == "OPTIONS":
			want.status = 204
		case want.allow != "":
			want.status = 405
		}
		if got.status == want.status && got.allow == want.allow {
			return ""
		}
	}
	return fmt.Sprintf("want %d with Allow %q", want.status, want.allow)
}

func (m refMux) patterns(ks []int) (list []string) {
	for _, k := range ks {
		list = append(list, m.routes[k].pattern())
	}
	return list
}

// serves is a handler that tells its number and the path values; see parseServed.
func serves(k int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var vals []string
		for _, p := range muxmaster.PathParams(r) {
			if got := r.PathValue(p.Key); got != p.Value {
				panic(fmt.Sprintf("PathValue(%q) = %q, PathParams %q", p.Key, got, p.Value))
			}
			vals = append(vals, p.Value)
		}
		fmt.Fprintf(w, "%d\x01%s", k, strings.Join(append(vals, ""), "\x01"))
	}
}

func parseServed(body string, k *int, vals *[]string) bool {
	number, rest, ok := strings.Cut(body, "\x01")
	if _, err := fmt.Sscan(number, k); err != nil || !ok {
		return false
	}
	parts := strings.Split(rest, "\x01")
	*vals = parts[:len(parts)-1]
	return true
}

// build makes a Mux of the routes; a route that conflicts with an earlier one is
// left out of the returned reference, and must have been refused.
func (m refMux) build(t *testing.T, pooled bool) (*muxmaster.Mux, refMux) {
	mux := newMux(pooled)
	mux.RedirectTrailingSlash = m.redirectSlash
	kept := refMux{redirectSlash: m.redirectSlash}
	for _, rt := range m.routes {
		h := serves(len(kept.routes))
		conflict := slices.ContainsFunc(kept.routes, rt.conflicts)
		text := panics(func() {
			switch {
			case !rt.verb:
				mux.Handle(rt.pattern(), h)
			case rt.method == "":
				mux.ANY(rt.path(), h)
			default:
				map[string]func(string, http.HandlerFunc){
					"GET": mux.GET, "HEAD": mux.HEAD, "POST": mux.POST, "PUT": mux.PUT, "OPTIONS": mux.OPTIONS, "CONNECT": mux.CONNECT,
				}[rt.method](rt.path(), h)
			}
		})
		if (text != "") != conflict {
			t.Fatalf("registering %q: panic %q, conflict expected: %v\nroutes: %q", rt.pattern(), text, conflict, kept.patterns(indexes(len(kept.routes))))
		}
		if !conflict {
			kept.routes = append(kept.routes, rt)
		}
	}
	return mux, kept
}

func indexes(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}
