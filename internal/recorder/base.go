package recorder

import (
	"net/http"
	"reflect"
	"sync"
)

// of returns the recorder that w is, or nil.
func of(w http.ResponseWriter) *Recorder {
	if x, ok := w.(interface{ recorder() *Recorder }); ok {
		return x.recorder()
	}
	return nil
}

// Base follows Unwrap down to the writer that the server made, or to the last one that can be reached.
func Base(w http.ResponseWriter) http.ResponseWriter {
	for {
		x, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		below := x.Unwrap()
		if below == nil {
			return w
		}
		w = below
	}
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
// w knows. A writer of net/http or httptest is asked by reading its unexported
// fields wroteHeader and hijackedv, which are the same in Go 1.26 and 1.27; so
// nobody needs a recorder only for the moment after an error. Where the fields
// aren't found, the answer is Unknown, and the caller does what is harmless in
// each case.
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
		x, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		below := x.Unwrap()
		if below == nil {
			break
		}
		w = below
	}
	v := reflect.ValueOf(w)
	if !v.IsValid() {
		return Unknown
	}
	f := fieldsOf(v.Type())
	if hijacked, ok := boolAt(v, f.hijacked); ok && hijacked {
		return Hijacked
	}
	wrote, ok := boolAt(v, f.wrote)
	switch {
	case !ok:
		return Unknown
	case wrote:
		return Started
	}
	return Unsent
}

// fields are the ways to the fields that tell how far a response has come, nil
// where there is none.
type fields struct {
	wrote, hijacked [][]int // an index for reflect.Value.FieldByIndexErr for each step
}

var fieldsByType sync.Map // reflect.Type => *fields

func fieldsOf(t reflect.Type) *fields {
	if f, ok := fieldsByType.Load(t); ok {
		return f.(*fields)
	}
	f := &fields{hijacked: findBool(t, "conn", "hijackedv")}
	f.wrote = findBool(t, "wroteHeader") // HTTP/1, httptest, http.TimeoutHandler
	if f.wrote == nil {
		f.wrote = findBool(t, "rws", "wroteHeader") // HTTP/2
	}
	fieldsByType.Store(t, f)
	return f
}

// findBool returns the way to the bool field at the end of a path of struct
// fields, nil if there is none.
func findBool(t reflect.Type, path ...string) (way [][]int) {
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
		way, t = append(way, f.Index), f.Type
	}
	if t.Kind() != reflect.Bool {
		return nil
	}
	return way
}

// boolAt reads the field at the end of a way. ok is false if there is no way,
// or a nil pointer on it.
func boolAt(v reflect.Value, way [][]int) (value, ok bool) {
	for _, index := range way {
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
	return way != nil && v.Bool(), way != nil
}

// FromServer reports whether w is a server's own writer, with nothing but
// recorders around it, so that nothing changes what is written on its way to
// the client.
func FromServer(w http.ResponseWriter) bool {
	for {
		r := of(w)
		if r == nil {
			break
		}
		w = r.w
	}
	t := reflect.TypeOf(w)
	if t == nil {
		return false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.PkgPath() {
	case "net/http", "net/http/internal/http2", "net/http/httptest", "golang.org/x/net/http2", "github.com/quic-go/quic-go/http3",
		module + "/server", module + "/engine":
		return true
	}
	return false
}

const module = "github.com/seed-1954dcaa/muxmaster"
