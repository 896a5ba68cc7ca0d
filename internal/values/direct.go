//go:build !muxmaster_safe

package values

import (
	"context"
	"net/http"
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
	_           [unsafe.Offsetof(http.Request{}.Pattern)]byte
	Pattern     string
	ctx         context.Context
	pat         *stdPattern
	matches     []string
	otherValues map[string]string
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

// Names holds the names of a route's values and the route's owner. Its other strings
// are only printed by net/http: str is namesMark, loc points to the owner's mark, and
// if not Direct, host is the text of mark.
type Names struct {
	stdPattern
	nesting atomic.Pointer[nesting] // the last one, see nested.go
	mark    any                     // see NewMark
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

// sameLayout reports whether a type has the size of its copy and the fields with
// a name at the same offsets. It also compares the types of fields and of what
// they point to, down to the given depth.
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
		for i := range copied.NumField() {
			want := copied.Field(i)
			f, ok := real.FieldByName(want.Name)
			if want.Name != "_" && (!ok || f.Offset != want.Offset || !sameLayout(f.Type, want.Type, depth)) {
				return false
			}
		}
		return true
	}
	return false
}

// deliversValues reports whether r.PathValue returns values delivered directly.
func deliversValues() bool {
	r := new(http.Request)
	n := NewNames(new(Owner), []string{"a", "b"}, true)
	if !n.TrySet(r, "", []string{"1", "2"}) || r.PathValue("a") != "1" || r.PathValue("b") != "2" || r.PathValue("c") != "" {
		return false
	}
	n.TryClear(r)
	return r.PathValue("a") == ""
}

func layOut(r *http.Request) *stdRequest { return (*stdRequest)(unsafe.Pointer(r)) }

// NewNames returns Names for the routes of an owner with these parameters. ring
// says that the values are in a Ring. Names that begin with [Hidden] are only
// for the router.
func NewNames(o *Owner, list []string, ring bool) *Names {
	n := &Names{stdPattern: stdPattern{str: namesMark, loc: o.loc(), segments: segments(list)}}
	if ring {
		n.method = ringMark
	}
	return n
}

// NewMark returns Names like NewNames that also tell whoever gets the request what v
// is: see [Mark].
func NewMark(o *Owner, list []string, ring bool, v any) *Names {
	n := NewNames(o, list, ring)
	n.mark = v
	if !Direct {
		n.host = remember(n)
	}
	return n
}

// Mark returns what the Names of r were made with by [NewMark], or nil. Only those
// that were set last count.
func Mark(r *http.Request) any {
	if !Direct {
		return safeMark(r)
	}
	p := layOut(r).pat
	if p == nil {
		return nil
	}
	if x := p.nested(); x != nil {
		return x.inner.mark
	}
	if n := p.names(); n != nil {
		return n.mark
	}
	return nil
}

func segments(list []string) []stdSegment {
	s := make([]stdSegment, len(list))
	for i, name := range list {
		s[i] = stdSegment{s: name, wild: true}
	}
	return s
}

// ringMark is the method of Names whose values are in a Ring.
const ringMark = "ring"

// namesMark is the text of all patterns that are part of Names. Its address
// distinguishes them from those of net/http.
var namesMark = unsafe.String(new(byte), 1)

// names returns the Names that p is part of, or nil for a pattern of net/http.
func (p *stdPattern) names() *Names {
	if !Same(p.str, namesMark) {
		return nil
	}
	return (*Names)(unsafe.Pointer(p)) // its first field
}

// loc is the loc of the owner's Names.
func (o *Owner) loc() string { return unsafe.String(&o.mark, 1) }

// Same reports whether two strings of the same length are the same one in memory.
// Without unsafe code, equal strings count as the same.
func Same(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// TrySet sets r.Pattern, and the path values as [Names.Set] does. If r has values
// of another owner, TrySet does nothing and returns false; the caller must use
// Set. It requires Direct. It is small enough to be inlined.
func (n *Names) TrySet(r *http.Request, pattern string, slots []string) bool {
	q := layOut(r)
	if q.pat != nil && !Same(q.pat.loc, n.loc) {
		return false
	}
	q.pat, q.matches, q.Pattern = &n.stdPattern, slots, pattern
	return true
}

// Set sets the path values of r. It retains slots, which hold the values. It
// replaces values of the same owner. Values of other owners remain; n's values
// hide those with the same name until n's are replaced or dropped.
func (n *Names) Set(r *http.Request, slots []string) {
	if !Direct {
		safeSet(r, n.host, n.list(), slots)
		return
	}
	q := layOut(r)
	if q.pat != nil && !Same(q.pat.loc, n.loc) {
		n.nest(r, slots)
		return
	}
	q.pat, q.matches = &n.stdPattern, slots
}

// TryClear makes r.PathValue return "", if r still has n's values. It requires
// Direct, and is small enough to be inlined.
//
// A goroutine that calls r.PathValue or r.SetPathValue at the same time uses the
// request's own slots if it has read r's fields before. They are not reused until
// many later requests have used the same Ring. The race detector reports such a
// call. Nothing else is written, because memory that cleared requests shared
// would show one request what another has set.
func (n *Names) TryClear(r *http.Request) {
	if q := layOut(r); q.pat == &n.stdPattern {
		q.pat = nil
	}
}

// ClearCopy makes r.PathValue return "" if r has values in a Ring. Middleware
// that passes on a copy of the request calls it for the copy when the next
// handler has returned, because the router clears only the original.
func ClearCopy(r *http.Request) {
	if !Direct || !Has(r) {
		return
	}
	if n := layOut(r).pat.names(); n != nil && n.method == ringMark {
		n.TryClear(r)
	}
}

// Saved holds the values that a request had.
type Saved struct {
	pat     *stdPattern
	matches []string
}

// Save returns the values of r.
func Save(r *http.Request) (s Saved) {
	if q := layOut(r); Direct {
		s = Saved{q.pat, q.matches}
	}
	return s
}

// Restore gives r the values again, if those that were set since have been cleared.
func (s Saved) Restore(r *http.Request) {
	if q := layOut(r); s.pat != nil && q.pat == nil {
		q.pat, q.matches = s.pat, s.matches
	}
}

// Values returns the path values of r if they were set with n, and no other
// router has set any. Otherwise it returns nil.
func (n *Names) Values(r *http.Request) []string {
	if q := layOut(r); Direct && q.pat == &n.stdPattern {
		return q.matches
	}
	return nil
}

// Has reports whether r has path values set directly. It requires Direct.
func Has(r *http.Request) bool { return layOut(r).pat != nil }

// Foreign reports whether r has a mark, or values of another owner than o. It
// requires Direct.
func Foreign(r *http.Request, o *Owner) bool {
	q := layOut(r)
	return q.pat != nil && (!Same(q.pat.loc, o.loc()) || (*Names)(unsafe.Pointer(q.pat)).mark != nil)
}

// Drop removes the owner's values from r, which an earlier match may have set.
func Drop(r *http.Request, o *Owner) {
	if !Direct {
		safeDrop(r)
		return
	}
	if q := layOut(r); q.pat != nil {
		q.pat, q.matches = q.pat.without(o.loc(), q.matches)
	}
}

func (p *stdPattern) list() []string {
	list := make([]string, 0, len(p.segments))
	for _, seg := range p.segments {
		if seg.wild && seg.s != "" {
			list = append(list, seg.s)
		}
	}
	return list
}

// Each calls yield with the name and the value of each path value of r, until it
// returns false. Those of the innermost router come first.
func Each(r *http.Request, yield func(name, value string) bool) {
	if !Direct {
		safeEach(r, yield)
		return
	}
	q := layOut(r)
	if q.pat == nil {
		return
	}
	i, nested := 0, q.pat.nested() != nil
	for k, seg := range q.pat.segments {
		if !seg.wild || seg.s == "" {
			continue
		}
		value := ""
		if i < len(q.matches) { // http.ServeMux can set too few, see Go issue 81222
			value = q.matches[i]
		}
		if i++; seg.s[0] == Hidden[0] || nested && slices.Contains(q.pat.segments[:k], seg) {
			continue
		}
		if !yield(seg.s, value) {
			return
		}
	}
}
