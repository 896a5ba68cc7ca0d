package recorder

import (
	"net/http"
	"reflect"
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

// Of finds out how far the response behind w has come. A recorder at or below w knows; a writer of net/http or httptest
// is asked by reading its unexported fields (wroteHeader, hijackedv), which are the same in Go 1.26 and 1.27. That is
// too slow for every request and meant for the moment after a panic: it saves everyone else the cost of a recorder. Where
// the fields aren't found, the answer is Unknown, and the caller does what is harmless in each case.
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
		if !ok || x.Unwrap() == nil {
			break
		}
		w = x.Unwrap()
	}
	v := reflect.ValueOf(w)
	if hijacked, ok := boolAt(v, "conn", "hijackedv"); ok && hijacked {
		return Hijacked
	}
	wrote, ok := boolAt(v, "wroteHeader") // HTTP/1, httptest, http.TimeoutHandler
	if !ok {
		wrote, ok = boolAt(v, "rws", "wroteHeader") // HTTP/2
	}
	switch {
	case !ok:
		return Unknown
	case wrote:
		return Started
	}
	return Unsent
}

// boolAt reads the bool field at the end of a path of struct fields.
func boolAt(v reflect.Value, path ...string) (value, ok bool) {
	for _, name := range path {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return false, false
		}
		f, found := v.Type().FieldByName(name)
		if !found {
			return false, false
		}
		var err error
		if v, err = v.FieldByIndexErr(f.Index); err != nil { // through a nil embedded pointer
			return false, false
		}
	}
	if v.Kind() != reflect.Bool {
		return false, false
	}
	return v.Bool(), true
}
