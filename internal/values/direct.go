//go:build !muxmaster_safe

package values

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

// The types below repeat the layout of net/http's. At start-up they are compared
// with the real ones by reflection, and one request is sent through r.PathValue.
// If anything differs, Direct is false, and no function here looks at a request
// through these types.

// stdRequest repeats http.Request.
type stdRequest struct {
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
	pat              *stdPattern
	matches          []string
	otherValues      map[string]string
}

// stdPattern repeats net/http's pattern. net/http reads only its segments, and takes
// each one that is wild and named for the name of the next value.
type stdPattern struct {
	str      string
	method   string
	host     string
	segments []stdSegment
	loc      string
}

// stdSegment repeats net/http's segment.
type stdSegment struct {
	s    string
	wild bool
	//lint:ignore U1000 it is there for the layout
	multi bool
}

// Names are the names of a route's values, and whose route it is.
type Names struct {
	stdPattern     // loc points to the owner's mark; net/http only prints it
	tag        any // see WithTag
}

// Safe says that the build tag muxmaster_safe is set.
const Safe = false

// Direct says that the layout is known and values can be delivered directly.
var Direct bool

func init() {
	Direct = sameLayout(reflect.TypeFor[http.Request](), reflect.TypeFor[stdRequest](), 3)
	Direct = Direct && deliversValues()
}

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
	type param struct{ Key, Value string }
	for _, fast := range []bool{false, true} {
		r, slots := new(http.Request), []string{"1", "2"}
		n := NewNames(NewOwner(), []string{"a", "b"}, fast)
		if fast {
			ps := Pairs[param](make([]string, 4))
			copy(ps, []param{{"a", "1"}, {"b", "2"}})
			slots = Slots(ps)
		}
		if !n.TrySet(r, "", slots) || r.PathValue("a") != "1" || r.PathValue("b") != "2" || r.PathValue("c") != "" {
			return false
		}
		if n.Clear(r); r.PathValue("a") != "" {
			return false
		}
	}
	return true
}

func layOut(r *http.Request) *stdRequest { return (*stdRequest)(unsafe.Pointer(r)) }

// keyName names the keys among the keys and values of a fast route. No path
// parameter has this name, so PathValue doesn't find them.
const keyName = "\x00"

// NewNames returns the names of values for an owner's routes. The values of a
// fast route come with their keys: key, value, key, value, and so on.
func NewNames(o *Owner, list []string, fast bool) *Names {
	n := &Names{stdPattern: stdPattern{loc: unsafe.String(&o.mark, 1)}}
	for _, name := range list {
		if fast {
			n.segments = append(n.segments, stdSegment{s: keyName, wild: true})
		}
		n.segments = append(n.segments, stdSegment{s: name, wild: true})
	}
	n.segments = slices.Clip(n.segments)
	return n
}

// ownedBy reports whether p is Names of the owner.
func (p *stdPattern) ownedBy(o *Owner) bool { return unsafe.StringData(p.loc) == &o.mark }

// sameOwner reports whether q is Names of p's owner.
func (p *stdPattern) sameOwner(q *stdPattern) bool {
	return unsafe.StringData(p.loc) == unsafe.StringData(q.loc)
}

// TrySet gives r a pattern and values, and keeps vals. It reports false, having
// done nothing, if r has values of another owner; see [Names.Set]. It can be
// inlined, and requires Direct.
func (n *Names) TrySet(r *http.Request, pattern string, vals []string) bool {
	q := layOut(r)
	if q.pat != nil && unsafe.StringData(q.pat.loc) != unsafe.StringData(n.loc) {
		return false
	}
	q.pat, q.matches, q.Pattern = &n.stdPattern, vals, pattern
	return true
}

// Set makes r.PathValue answer with vals, and keeps vals. Values of the same
// owner are lost; those of other owners stay unless they have the same name.
func (n *Names) Set(r *http.Request, vals []string) {
	if !Direct {
		safeSet(r, n.id(), n.list(), vals)
		safeSetTag(r, n.owner(), n.tag)
		return
	}
	q := layOut(r)
	if q.pat != nil && !q.pat.sameOwner(&n.stdPattern) {
		n, vals = n.merge(q, vals)
	}
	q.pat, q.matches = &n.stdPattern, vals
}

// merge returns the names and values that r shows in a router within another
// one: n's, then those of q that they do not hide.
func (n *Names) merge(q *stdRequest, vals []string) (*Names, []string) {
	both := &Names{stdPattern: stdPattern{loc: n.loc}, tag: n.tag}
	var all []string
	add := func(p *stdPattern, vals []string) {
		i := 0
		for _, seg := range p.segments {
			if !seg.wild || seg.s == "" {
				continue
			}
			if seg.s != keyName && !slices.Contains(both.segments, stdSegment{s: seg.s, wild: true}) {
				both.segments = append(both.segments, stdSegment{s: seg.s, wild: true})
				all = append(all, vals[i])
			}
			i++
		}
	}
	add(&n.stdPattern, vals)
	add(q.pat, q.matches)
	return both, all
}

// Clear makes r.PathValue answer "" again, if r still has n's values.
//
// It clears one word only. A goroutine that reads r at this moment sees the
// value or "": the values stay where they are until many later requests have
// used the same chunk. The race detector reports such a reader, and nothing else.
func (n *Names) Clear(r *http.Request) {
	if !Direct {
		safeClear(r, n.id())
		return
	}
	if q := layOut(r); q.pat == &n.stdPattern {
		q.pat = nil
	}
}

// TryClear is Clear that can be inlined. It requires Direct.
func (n *Names) TryClear(r *http.Request) {
	if q := layOut(r); q.pat == &n.stdPattern {
		q.pat = nil
	}
}

// Has reports whether a router has given r values. It requires Direct.
func Has(r *http.Request) bool { return layOut(r).pat != nil }

// Drop removes what an earlier match by the owner left in r.
func Drop(r *http.Request, o *Owner) {
	if !Direct {
		safeClear(r, o.id)
		return
	}
	if q := layOut(r); q.pat != nil && q.pat.ownedBy(o) {
		q.pat, q.matches = nil, nil
	}
}

// WithTag returns a copy of n that carries v. Set then marks the request, and
// every copy that middleware makes of it, with v.
func (n *Names) WithTag(v any) *Names { return &Names{stdPattern: n.stdPattern, tag: v} }

// Tag returns the tag of the owner's values of r, nil if it has none.
func Tag(r *http.Request, o *Owner) any {
	if !Direct {
		return safeTag(r, o)
	}
	if q := layOut(r); q.pat != nil && q.pat.ownedBy(o) {
		// The owner's patterns are all Names.
		return (*Names)(unsafe.Pointer(q.pat)).tag
	}
	return nil
}

// Key returns the name of a fast route's value.
func (n *Names) Key(i int) string { return n.segments[2*i+1].s }

func (p *stdPattern) list() []string {
	var list []string
	for _, seg := range p.segments {
		if seg.wild && seg.s != "" && seg.s != keyName {
			list = append(list, seg.s)
		}
	}
	return list
}

// owner returns the owner of Names that NewNames made.
func (n *Names) owner() *Owner {
	return (*Owner)(unsafe.Pointer(unsafe.StringData(n.loc))) // mark is its first field
}

func (n *Names) id() string { return n.owner().id }

// List returns the names of all values of r, the innermost router's first.
func List(r *http.Request) []string {
	if !Direct {
		return safeList(r)
	}
	q := layOut(r)
	if q.pat == nil {
		return nil
	}
	return q.pat.list()
}

// Pairs returns slots as a list of keys and values that shares its storage; P is
// a struct of two strings.
func Pairs[P ~struct{ Key, Value string }](slots []string) []P {
	return unsafe.Slice((*P)(unsafe.Pointer(unsafe.SliceData(slots))), len(slots)/2)
}

// Slots is the inverse of [Pairs].
func Slots[P ~struct{ Key, Value string }](ps []P) []string {
	return unsafe.Slice((*string)(unsafe.Pointer(unsafe.SliceData(ps))), 2*len(ps))
}
