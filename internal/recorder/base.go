package recorder

import (
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
)

type unwrapper interface{ Unwrap() http.ResponseWriter }

// of returns the recorder that w is, or nil.
func of(w http.ResponseWriter) *Recorder {
	if x, ok := w.(interface{ recorder() *Recorder }); ok {
		return x.recorder()
	}
	return nil
}

// Base follows Unwrap down to the writer that the server made, or to the last
// one that can be reached.
func Base(w http.ResponseWriter) http.ResponseWriter {
	for {
		below := unwrap(w)
		if below == nil {
			return w
		}
		w = below
	}
}

// unwrap returns the writer below w, nil if there is none to be reached.
func unwrap(w http.ResponseWriter) http.ResponseWriter {
	if x, ok := w.(unwrapper); ok {
		return x.Unwrap()
	}
	return nil
}

// A Progress says how far a response has come.
type Progress int

const (
	Unknown  Progress = iota // a writer that doesn't tell
	Unsent                   // nothing was sent
	Started                  // a final status was sent, and perhaps a part of the body
	Hijacked                 // the connection was taken over
)

// Of finds out how far the response behind w has come. A recorder at or below
// w knows. A writer of net/http, httptest or package engine is asked by
// reading its unexported fields (in net/http wroteHeader and hijackedv, which
// are the same in Go 1.26 and 1.27), so that nobody needs a recorder only for
// the moment after an error. For other writers the answer is Unknown.
//
// Of must be called on the handler's goroutine, like the methods of w.
func Of(w http.ResponseWriter) Progress {
	for {
		if r := of(w); r != nil {
			switch {
			case r.hijacked:
				return Hijacked
			case r.Started():
				return Started
			}
			return Unsent
		}
		below := unwrap(w)
		if below == nil {
			break
		}
		w = below
	}
	v := reflect.ValueOf(w)
	if !v.IsValid() {
		return Unknown
	}
	k := kindOf(w)
	if hijacked, ok := boolAt(v, k.hijacked); ok && hijacked {
		return Hijacked
	}
	wrote, ok := boolAt(v, k.wrote)
	switch {
	case !ok:
		return Unknown
	case wrote:
		return Started
	}
	return Unsent
}

// Look says in advance what can be known about w. own reports that w is a
// server's own writer with nothing around it that could change what is written
// on its way to the client. tells reports that Of will know how far the
// response has come.
func Look(w http.ResponseWriter) (own, tells bool) {
	own = true
	for {
		k := kindOf(w)
		if k.own {
			return own, true
		}
		own = own && k.passes
		tells = tells || k.recorder
		below := http.ResponseWriter(nil)
		if k.unwraps {
			below = unwrap(w)
		}
		if below == nil {
			return false, tells || k.wrote != nil
		}
		w = below
	}
}

// A Cache is Look for a middleware that asks for each request. It remembers what
// Look said about the first type of writer: mostly it is always the same.
type Cache struct{ first atomic.Pointer[looked] }

type looked struct {
	outer, inner reflect.Type // inner is what a recorder has below, else nil
	own, tells   bool
}

// Look returns what the function Look returns.
func (c *Cache) Look(w http.ResponseWriter) (own, tells bool) {
	if l := c.first.Load(); l != nil && l.outer == reflect.TypeOf(w) {
		if l.inner == nil {
			return l.own, l.tells
		}
		if r := of(w); reflect.TypeOf(r.w) == l.inner {
			return l.own, l.tells
		}
	}
	return c.look(w)
}

func (c *Cache) look(w http.ResponseWriter) (own, tells bool) {
	own, tells = Look(w)
	if c.first.Load() != nil {
		return own, tells
	}
	l := &looked{outer: reflect.TypeOf(w), own: own, tells: tells}
	if r := of(w); r != nil {
		l.inner = reflect.TypeOf(r.w)
		w = r.w
	}
	if !kindOf(w).unwraps { // else it depends on what that writer unwraps to
		c.first.CompareAndSwap(nil, l)
	}
	return own, tells
}

// A kind is what is known about a type of writer.
type kind struct {
	typ      reflect.Type
	wrote    [][]int // how to reach the field that says that the header was sent, nil if there is none
	hijacked [][]int // how to reach the field that says that the connection was taken over
	recorder bool
	unwraps  bool
	passes   bool // it is a writer of this module, which changes nothing
	own      bool // it is a server's own, and tells
}

// The kinds of the first types are found without a look into the map: those are
// mostly net/http's writers for HTTP/1 and HTTP/2.
var (
	firstKinds [2]atomic.Pointer[kind]
	otherKinds sync.Map // reflect.Type => *kind
)

func kindOf(w http.ResponseWriter) *kind {
	t := reflect.TypeOf(w)
	for i := range firstKinds {
		if k := firstKinds[i].Load(); k != nil && k.typ == t {
			return k
		}
	}
	if k, ok := otherKinds.Load(t); ok {
		return k.(*kind)
	}
	k := newKind(t)
	for i := range firstKinds {
		if firstKinds[i].CompareAndSwap(nil, k) {
			return k
		}
	}
	otherKinds.Store(t, k)
	return k
}

func newKind(t reflect.Type) *kind {
	k := &kind{typ: t}
	if t == nil {
		return k
	}
	k.recorder = t.Implements(reflect.TypeFor[interface{ recorder() *Recorder }]())
	k.passes = k.recorder
	k.unwraps = t.Implements(reflect.TypeFor[unwrapper]())
	k.hijacked = findBool(t, "conn", "hijackedv")
	k.wrote = findBool(t, "wroteHeader") // HTTP/1, httptest, http.TimeoutHandler
	if k.wrote == nil {
		k.wrote = findBool(t, "rws", "wroteHeader") // HTTP/2
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.PkgPath() {
	case "net/http", "net/http/internal/http2", "net/http/httptest", "golang.org/x/net/http2":
		k.own = k.wrote != nil
	case module + "/server":
		k.passes = true
	case module + "/engine":
		k.wrote, k.hijacked = findBool(t, "res", "wroteHeader"), findBool(t, "res", "hijacked")
		k.own = k.wrote != nil
	}
	return k
}

const module = "github.com/seed-1954dcaa/muxmaster"

// findBool returns how to reach the bool field at the end of a path of struct
// fields: an index for each step. It returns nil if there is no such field.
func findBool(t reflect.Type, path ...string) (indexes [][]int) {
	for _, name := range path {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return nil
		}
		f, ok := t.FieldByName(name)
		if !ok {
			return nil
		}
		indexes, t = append(indexes, f.Index), f.Type
	}
	if t.Kind() != reflect.Bool {
		return nil
	}
	return indexes
}

// boolAt reads the field that indexes lead to. ok is false if there is none, or
// a nil pointer on the way.
func boolAt(v reflect.Value, indexes [][]int) (value, ok bool) {
	for _, index := range indexes {
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if !v.IsValid() {
			return false, false
		}
		var err error
		if v, err = v.FieldByIndexErr(index); err != nil { // a nil embedded pointer
			return false, false
		}
	}
	return indexes != nil && v.Bool(), indexes != nil
}
