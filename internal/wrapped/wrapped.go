// Package wrapped names handlers and middleware for a list of routes: by the
// function inside of a handler that package problem makes, because to the runtime
// all of these are one function, and by the function around a closure, which the
// compiler may have inlined.
package wrapped

import (
	"net/http"
	"reflect"
)

// A Query is the writer of a call that asks a handler of problem.Handler for
// its function. The handler sets Func and returns.
type Query struct {
	http.ResponseWriter
	Func any
}

// handlers holds the code pointer of the handlers that problem.Handler returns.
var handlers uintptr

// Register says that handlers with the code of h answer a Query. Only package
// problem calls it, when the program starts.
func Register(h http.HandlerFunc) { handlers = reflect.ValueOf(h).Pointer() }

// Name returns the name of f if it is a function, and otherwise of its type. For
// a handler of problem.Handler, it is the name of the function inside.
func Name(f any) string {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func {
		return v.Type().String()
	}
	if h, ok := f.(http.HandlerFunc); ok && h != nil && v.Pointer() == handlers {
		var q Query
		h(&q, nil)
		v = reflect.ValueOf(q.Func)
	}
	return funcName(v)
}
