package recorder

import (
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
)

type unwrapper interface{ Unwrap() http.ResponseWriter }

// An engineWriter is a writer of package engine, or of middleware.IdempotencyKey.
type engineWriter interface {
	ResponseProgress() (started, hijacked bool)
}

// of returns w's Recorder if w is a recorder, or nil.
func of(w http.ResponseWriter) *Recorder {
	if x, ok := w.(interface{ recorder() *Recorder }); ok {
		return x.recorder()
	}
	return nil
}

// Base unwraps w as often as possible, usually down to the server's own writer.
func Base(w http.ResponseWriter) http.ResponseWriter {
	for {
		inner := unwrap(w)
		if inner == nil {
			return w
		}
		w = inner
	}
}

// unwrap returns the writer that w wraps, or nil if w has no Unwrap method.
func unwrap(w http.ResponseWriter) http.ResponseWriter {
	if x, ok := w.(unwrapper); ok {
		return x.Unwrap()
	}
	return nil
}

// Late is the context key of an *atomic.Bool of middleware.IdempotencyKey, which
// problem.Write sets if it responds with 503 because a deadline has passed.
type Late struct{}

// A Progress is the state of a response.
type Progress int

const (
	Unknown  Progress = iota
	Unsent            // nothing was sent
	Started           // a final status was sent, and perhaps a part of the body
	Hijacked          // the connection was hijacked
)

// Of returns the progress of the response that w writes. It uses the first
// recorder found by unwrapping w that has sent something. Without one, it asks
// the writers of package engine, and reads unexported fields of those of
// net/http and httptest (wroteHeader and hijackedv, which are the same in Go
// 1.26 and 1.27), so that requests don't need a recorder only for the case of an
// error. For other writers it returns Unknown, or Unsent below a recorder.
//
// Like the methods of w, Of must be called on the handler's goroutine.
func Of(w http.ResponseWriter) Progress {
	var k *kind
	for {
		if r := of(w); r != nil {
			switch {
			case r.Hijacked():
				return Hijacked
			case r.Started():
				return Started
			}
			if p := Of(r.w); p != Unknown { // outer middleware may have written before
				return p
			}
			return Unsent
		}
		k = kindOf(w)
		if !k.unwraps {
			break
		}
		inner := unwrap(w)
		if inner == nil {
			break
		}
		w = inner
	}
	if k.engine {
		switch started, hijacked := w.(engineWriter).ResponseProgress(); {
		case hijacked:
			return Hijacked
		case started:
			return Started
		}
		return Unsent
	}
	v := reflect.ValueOf(w)
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

// Own reports whether w is a server's own writer, possibly wrapped in writers of
// this module, which don't change the response. Otherwise something in between
// may keep back or change what is written, such as a writer that compresses.
func Own(w http.ResponseWriter) bool {
	for {
		k := kindOf(w)
		if k.own {
			return true
		}
		if !k.passes || !k.unwraps {
			return false
		}
		if w = unwrap(w); w == nil {
			return false
		}
	}
}

// A Cache caches the result of Own for one type of writer, for middleware that
// calls it for every request. Usually all requests have the same type of
// writer.
type Cache struct{ first atomic.Pointer[looked] }

type looked struct {
	outer, inner reflect.Type // types of the writer and, if it is a recorder, of the wrapped one
	own          bool
}

// Own returns the same as the function Own.
func (c *Cache) Own(w http.ResponseWriter) bool {
	if l := c.first.Load(); l != nil && l.outer == reflect.TypeOf(w) {
		if l.inner == nil {
			return l.own
		}
		if r := of(w); reflect.TypeOf(r.w) == l.inner {
			return l.own
		}
	}
	return c.look(w)
}

func (c *Cache) look(w http.ResponseWriter) bool {
	own := Own(w)
	if c.first.Load() != nil {
		return own
	}
	l := &looked{outer: reflect.TypeOf(w), own: own}
	if r := of(w); r != nil {
		l.inner = reflect.TypeOf(r.w)
		w = r.w
	}
	if !kindOf(w).unwraps { // otherwise the result depends on the writer that w wraps
		c.first.CompareAndSwap(nil, l)
	}
	return own
}

// A kind describes a type of writer.
type kind struct {
	typ      reflect.Type
	wrote    [][]int // location of the field that is true if the header was sent, for boolAt; may be nil
	hijacked [][]int // location of the field that is true if the connection was hijacked; may be nil
	unwraps  bool    // it has a method Unwrap
	engine   bool    // it is an engineWriter
	passes   bool    // it is a writer of this module that doesn't change the response
	own      bool    // it is a server's own writer, and Of can read its progress
}

// The first two kinds are kept outside of the map, for speed. They are usually
// those of net/http's writers for HTTP/1 and HTTP/2.
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
	k.passes = t.Implements(reflect.TypeFor[interface{ recorder() *Recorder }]())
	k.unwraps = t.Implements(reflect.TypeFor[unwrapper]())
	k.engine = t.Implements(reflect.TypeFor[engineWriter]())
	k.own = k.engine
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
	case "github.com/seed-1954dcaa/muxmaster/middleware":
		k.own = false // IdempotencyKey keeps the response back
	case "github.com/seed-1954dcaa/muxmaster/server":
		k.passes = true
	}
	return k
}

// findBool returns the location of the bool field at the end of a path of
// struct fields, as one index for each step. It returns nil if there is no such
// field.
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

// boolAt returns the value of the field at a location that findBool returned.
// ok is false if indexes is nil or the path has a nil pointer.
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
