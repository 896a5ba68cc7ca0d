//go:build !muxmaster_safe

package muxmaster

import (
	"context"
	"crypto/tls"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"unsafe"
)

// This file delivers path values into *http.Request, and holds everything unsafe
// in the module.
//
// http.ServeMux hands values to r.PathValue through unexported fields of the
// request: pat, the pattern with its wildcards' names, and matches, the values. A
// router that fills the same two fields makes r.PathValue work without copying
// the request and without the map that SetPathValue needs.
//
// The types below repeat the layout of net/http's. At start-up they are compared
// with the real ones by reflection, and one request is sent through r.PathValue.
// If anything differs, or with the build tag muxmaster_safe, values are delivered
// by SetPathValue: the same behaviour, slower. See pathvalue_safe.go.

// request repeats http.Request.
type request struct {
	Method           string
	URL              *url.URL
	Proto            string
	ProtoMajor       int
	ProtoMinor       int
	Header           http.Header
	Body             io.ReadCloser
	GetBody          func() (io.ReadCloser, error)
	ContentLength    int64
	TransferEncoding []string
	Close            bool
	Host             string
	Form             url.Values
	PostForm         url.Values
	MultipartForm    *multipart.Form
	Trailer          http.Header
	RemoteAddr       string
	RequestURI       string
	TLS              *tls.ConnectionState
	Cancel           <-chan struct{}
	Response         *http.Response
	Pattern          string
	ctx              context.Context
	pat              *names
	matches          []string
	otherValues      map[string]string
}

// names repeats net/http's pattern; net/http reads only its segments, and takes
// each that is wild and named for the name of the next value.
type names struct {
	str      string
	method   string
	host     string
	segments []segment
	loc      string
}

// segment repeats net/http's segment.
type segment struct {
	s     string
	wild  bool
	multi bool
}

// direct says that the layout is known and values can be delivered directly.
var direct = sameLayout(reflect.TypeFor[http.Request](), reflect.TypeFor[request](), 3) && deliversValues()

// sameLayout reports whether the types have the same fields at the same offsets,
// and so have the types that these hold or point to, down to the given depth.
func sameLayout(real, copied reflect.Type, depth int) bool {
	if real == copied || depth == 0 {
		return true
	}
	if real.Kind() != copied.Kind() || real.Size() != copied.Size() {
		return false
	}
	switch real.Kind() {
	case reflect.Pointer, reflect.Slice:
		return sameLayout(real.Elem(), copied.Elem(), depth-1)
	case reflect.Struct:
		if real.NumField() != copied.NumField() {
			return false
		}
		for i := range real.NumField() {
			f, g := real.Field(i), copied.Field(i)
			if f.Name != g.Name || f.Offset != g.Offset || !sameLayout(f.Type, g.Type, depth) {
				return false
			}
		}
		return true
	}
	return false
}

func deliversValues() bool {
	r, owner := new(http.Request), new(Mux)
	layOut(r).pat, layOut(r).matches = newNames(owner, []string{"a", "b"}, false), []string{"1", "2"}
	if r.PathValue("a") != "1" || r.PathValue("b") != "2" || r.PathValue("c") != "" {
		return false
	}
	ps := Params{{"a", "1"}, {"b", "2"}}
	layOut(r).pat, layOut(r).matches = newNames(owner, []string{"a", "b"}, true), interleaved(ps)
	return r.PathValue("a") == "1" && r.PathValue("b") == "2" && r.PathValue("c") == ""
}

func layOut(r *http.Request) *request { return (*request)(unsafe.Pointer(r)) }

// keyName names the keys among the interleaved keys and values of a fast route,
// which PathValue is not to find.
const keyName = "\x00"

// newNames returns names for the values of m's routes that have these
// parameters; fast, if the values come interleaved.
func newNames(m *Mux, list []string, fast bool) *names {
	// The owner is told by the address of loc, which net/http only prints.
	n := &names{loc: unsafe.String(&m.mark, 1)}
	for _, name := range list {
		if fast {
			n.segments = append(n.segments, segment{s: keyName, wild: true})
		}
		n.segments = append(n.segments, segment{s: name, wild: true})
	}
	n.segments = slices.Clip(n.segments)
	return n
}

// interleaved returns ps as the list key, value, key, value, …
func interleaved(ps Params) []string {
	return unsafe.Slice((*string)(unsafe.Pointer(unsafe.SliceData(ps))), 2*len(ps))
}

// owner tells whose names these are: two lists have one owner if and only if one
// Mux made them.
func (n *names) owner() *byte { return unsafe.StringData(n.loc) }

// setValues makes r.PathValue answer with vals. It keeps vals.
func (n *names) setValues(r *http.Request, vals []string) {
	if q := layOut(r); direct && q.pat == nil {
		q.pat, q.matches = n, vals
		return
	}
	n.replaceValues(r, vals)
}

// setFirst gives r the route's pattern and values, if it has none yet or those of
// the same names, which are another match's. Otherwise it does nothing and returns
// false. It can be inlined, and asks that values are delivered directly.
func (rt *route) setFirst(r *http.Request, vals []string) bool {
	q := layOut(r)
	if q.pat != nil && q.pat != rt.names {
		return false
	}
	q.pat, q.matches, q.Pattern = rt.names, vals, rt.pattern
	return true
}

// replaceValues is setValues for a request that was routed before: by the same
// Mux, whose values it loses, or by one further out, whose values it keeps.
func (n *names) replaceValues(r *http.Request, vals []string) {
	if !direct {
		safeSet(r, n.owner(), n.list(), vals)
		return
	}
	q := layOut(r)
	if q.pat != nil && q.pat.owner() != n.owner() {
		n, vals = n.inside(q, vals)
	}
	q.pat, q.matches = n, vals
}

// routed reports whether a router has given r values. It asks that values are delivered
// directly.
func routed(r *http.Request) bool { return layOut(r).pat != nil }

// hasValues reports whether dropValues may have something to do.
func hasValues(r *http.Request) bool { return !direct || routed(r) }

// setParams is setValues for the names of a fast route.
func (n *names) setParams(r *http.Request, ps Params) {
	if !direct {
		safeSet(r, n.owner(), n.list(), ps.values())
		return
	}
	n.setValues(r, interleaved(ps))
}

// clearValues makes r.PathValue answer "" again, if n's values are still there.
func (n *names) clearValues(r *http.Request) {
	if q := layOut(r); q.pat == n {
		q.pat, q.matches = nil, nil
	} else if !direct {
		safeClear(r, n.owner())
	}
}

// clearOwn is clearValues for a request that has n's values, and reports false,
// having done nothing, for another one.
func (n *names) clearOwn(r *http.Request) bool {
	q := layOut(r)
	if q.pat != n {
		return false
	}
	q.pat, q.matches = nil, nil
	return true
}

// inside returns the names and values that r shows in a router within another
// one: n's, then those of q that they do not hide.
func (n *names) inside(q *request, vals []string) (*names, []string) {
	both := &names{loc: n.loc}
	var all []string
	add := func(n *names, vals []string) {
		i := 0
		for _, seg := range n.segments {
			if !seg.wild || seg.s == "" {
				continue
			}
			if seg.s != keyName && !slices.Contains(both.segments, segment{s: seg.s, wild: true}) {
				both.segments = append(both.segments, segment{s: seg.s, wild: true})
				all = append(all, vals[i])
			}
			i++
		}
	}
	add(n, vals)
	add(q.pat, q.matches)
	return both, all
}

// dropValues removes what an earlier match by the Mux m left in r.
func dropValues(r *http.Request, m *Mux) {
	if !direct {
		safeClear(r, &m.mark)
		return
	}
	if q := layOut(r); q.pat != nil && q.pat.owner() == &m.mark {
		q.pat, q.matches = nil, nil
	}
}

// key returns the name of a fast route's value.
func (n *names) key(i int) string { return n.segments[2*i+1].s }

func (n *names) list() []string {
	var list []string
	for _, seg := range n.segments {
		if seg.wild && seg.s != "" && seg.s != keyName {
			list = append(list, seg.s)
		}
	}
	return list
}

func pathParams(r *http.Request) Params {
	if !direct {
		return safeParams(r)
	}
	q := layOut(r)
	if q.pat == nil {
		return nil
	}
	list := q.pat.list()
	ps := make(Params, len(list))
	for i, name := range list {
		ps[i] = Param{name, r.PathValue(name)}
	}
	return ps
}
