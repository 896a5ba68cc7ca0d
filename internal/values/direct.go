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
	"sync/atomic"
	"unsafe"
)

// The types below repeat the layout of net/http's types. At start-up, init
// compares them with the real types by reflection and tests r.PathValue. If
// anything differs, Direct is false and this package doesn't access requests
// through these types.

// stdRequest has the layout of http.Request.
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

// stdPattern has the layout of net/http's pattern. r.PathValue reads only its
// segments: each segment that is wild and has a name names the next value.
type stdPattern struct {
	str      string
	method   string
	host     string
	segments []stdSegment
	loc      string
}

// stdSegment has the layout of net/http's segment.
type stdSegment struct {
	s    string
	wild bool
	//lint:ignore U1000 part of the layout
	multi bool
}

// Names holds the names of a route's values and the route's owner.
type Names struct {
	stdPattern                         // str is namesMark and loc points to the owner's mark; net/http only prints them
	tag        any                     // see WithTag
	layers     []layer                 // if a request has values of several owners, see nested.go
	nesting    atomic.Pointer[nesting] // the last one, see nested.go
	ring       bool                    // the values are in a Ring, see InRing
}

// Safe reports whether the build tag muxmaster_safe is set.
const Safe = false

// Direct reports whether the layout of net/http's types is known, so that
// values can be delivered directly.
var Direct bool

func init() {
	Direct = sameLayout(reflect.TypeFor[http.Request](), reflect.TypeFor[stdRequest](), 3)
	Direct = Direct && deliversValues()
}

// sameLayout reports whether two types have the same fields at the same
// offsets. It also compares the types of fields and of what they point to, down
// to the given depth.
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

// deliversValues reports whether r.PathValue returns values delivered directly.
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

// The slots of a fast route are a Params slice: key, value, key, value, and so
// on. keyName is the name of the key slots, so that r.PathValue finds only the
// value slots. No path parameter can have this name.
const keyName = "\x00"

// NewNames returns Names for the routes of an owner with these parameters. fast
// says whether they are fast routes.
func NewNames(o *Owner, list []string, fast bool) *Names {
	n := &Names{stdPattern: stdPattern{str: namesMark, loc: unsafe.String(&o.mark, 1)}}
	for _, name := range list {
		if fast {
			n.segments = append(n.segments, stdSegment{s: keyName, wild: true})
		}
		n.segments = append(n.segments, stdSegment{s: name, wild: true})
	}
	n.segments = slices.Clip(n.segments)
	return n
}

// namesMark is the text of all patterns that are part of Names. Its address
// distinguishes them from those of net/http.
var namesMark = unsafe.String(new(byte), 1)

// names returns the Names that p is part of, or nil for a pattern of net/http.
func (p *stdPattern) names() *Names {
	if unsafe.StringData(p.str) != unsafe.StringData(namesMark) {
		return nil
	}
	return (*Names)(unsafe.Pointer(p)) // its first field
}

// ownedBy reports whether p is part of Names of the owner.
func (p *stdPattern) ownedBy(o *Owner) bool { return unsafe.StringData(p.loc) == &o.mark }

// sameOwner reports whether p and q have the same owner.
func (p *stdPattern) sameOwner(q *stdPattern) bool {
	return unsafe.StringData(p.loc) == unsafe.StringData(q.loc)
}

// TrySet sets r.Pattern, and the path values as [Names.Set] does. If r has values
// of another owner, TrySet does nothing and returns false; the caller must use
// Set. It requires Direct. It is small enough to be inlined.
func (n *Names) TrySet(r *http.Request, pattern string, slots []string) bool {
	q := layOut(r)
	if q.pat != nil && unsafe.StringData(q.pat.loc) != unsafe.StringData(n.loc) {
		return false
	}
	q.pat, q.matches, q.Pattern = &n.stdPattern, slots, pattern
	return true
}

// Set sets the path values of r. It retains slots, which hold the values, or for
// a fast route pairs of name and value. It replaces values of the same owner.
// Values of other owners remain; n's values hide those with the same name until
// n's are replaced or dropped.
func (n *Names) Set(r *http.Request, slots []string) {
	if !Direct {
		safeSet(r, n.id(), n.list(), slots)
		safeSetTag(r, n.owner(), n.tag)
		return
	}
	q := layOut(r)
	if q.pat != nil && !q.pat.sameOwner(&n.stdPattern) {
		q.nest(n, slots)
		return
	}
	q.pat, q.matches = &n.stdPattern, slots
}

// Clear makes r.PathValue return "", if r still has n's values.
//
// A goroutine that calls r.PathValue at the same time gets the value or "". If
// it has read r's fields before Clear writes them, it finds the value, because
// the slots are not reused until many later requests have used the same Ring.
// The race detector reports such a call.
func (n *Names) Clear(r *http.Request) {
	if !Direct {
		safeClear(r, n.id())
		return
	}
	n.TryClear(r)
}

// TryClear is a version of Clear that is small enough to be inlined. It
// requires Direct.
func (n *Names) TryClear(r *http.Request) {
	if q := layOut(r); q.pat == &n.stdPattern {
		q.pat = nil
		if len(q.matches) <= len(blank) {
			// Writing the pointer alone can't leave a slice half written.
			*(**[maxBlank]string)(unsafe.Pointer(&q.matches)) = &blank
		}
	}
}

// InRing returns a copy of n for routes whose values are in a Ring.
func (n *Names) InRing() *Names { return &Names{stdPattern: n.stdPattern, tag: n.tag, ring: true} }

// ClearCopy makes r.PathValue return "" if r has values in a Ring. Middleware
// that passes on a copy of the request calls it for the copy when the next
// handler has returned, because the router clears only the original.
func ClearCopy(r *http.Request) {
	if !Direct || !Has(r) {
		return
	}
	if n := layOut(r).pat.names(); n != nil && n.ring {
		n.TryClear(r)
	}
}

// blank takes the place of cleared values. Nothing writes to it. Requests with
// more values than it has keep theirs.
var blank [maxBlank]string

const maxBlank = 64

// Has reports whether r has path values set directly. It requires Direct.
func Has(r *http.Request) bool { return layOut(r).pat != nil }

// Drop removes the owner's values from r, which an earlier match may have set.
func Drop(r *http.Request, o *Owner) {
	if !Direct {
		safeClear(r, o.id)
		return
	}
	q := layOut(r)
	if q.pat == nil {
		return
	}
	if q.pat.ownedBy(o) {
		q.pat, q.matches = nil, nil
	} else if q.pat.nested() {
		q.drop(o)
	}
}

// WithTag returns a copy of n with the tag v. Set attaches the tag to the
// request and thus to all copies that middleware makes of it.
func (n *Names) WithTag(v any) *Names { return &Names{stdPattern: n.stdPattern, tag: v} }

// Tag returns the tag that Set attached to r for the owner, or nil.
func Tag(r *http.Request, o *Owner) any {
	if !Direct {
		return safeTag(r, o)
	}
	q := layOut(r)
	if q.pat == nil {
		return nil
	}
	if q.pat.ownedBy(o) {
		return q.pat.names().tag
	}
	for _, l := range q.pat.layersOf() {
		if unsafe.StringData(l.loc) == &o.mark {
			return l.tag
		}
	}
	return nil
}

// Key returns the name of the i-th value of a fast route.
func (n *Names) Key(i int) string { return n.segments[2*i+1].s }

func (p *stdPattern) list() []string {
	var list []string
	for _, seg := range p.segments {
		if seg.wild && seg.s != "" && seg.s != keyName && (!p.nested() || !slices.Contains(list, seg.s)) {
			list = append(list, seg.s)
		}
	}
	return list
}

// owner returns the owner of n.
func (n *Names) owner() *Owner {
	return (*Owner)(unsafe.Pointer(unsafe.StringData(n.loc))) // mark is its first field
}

func (n *Names) id() string { return n.owner().id }

// List returns the names of all path values of r. Those of the innermost router
// come first.
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

// Pairs converts slots to a slice of pairs that shares their memory.
func Pairs[P ~struct{ Key, Value string }](slots []string) []P {
	return unsafe.Slice((*P)(unsafe.Pointer(unsafe.SliceData(slots))), len(slots)/2)
}

// Slots is the inverse of [Pairs].
func Slots[P ~struct{ Key, Value string }](ps []P) []string {
	return unsafe.Slice((*string)(unsafe.Pointer(unsafe.SliceData(ps))), 2*len(ps))
}
