//go:build !muxmaster_portable

package engine

import (
	"context"
	"net/http"
	"reflect"
	"unsafe"
)

// setContext sets the context of a request in place, which
// [http.Request.WithContext] does only in a copy. It is nil if http.Request
// isn't as expected; then requests are copied.
//
// It writes the unexported field ctx. The field's name, type and offset are
// taken by reflection when the program starts, and one request is tried.
var setContext = findSetContext()

func findSetContext() func(*http.Request, context.Context) {
	f, ok := reflect.TypeFor[http.Request]().FieldByName("ctx")
	if !ok || f.Type != reflect.TypeFor[context.Context]() {
		return nil
	}
	set := func(r *http.Request, ctx context.Context) {
		*(*context.Context)(unsafe.Add(unsafe.Pointer(r), f.Offset)) = ctx
	}
	type key struct{}
	r, ctx := new(http.Request), context.WithValue(context.Background(), key{}, true)
	if set(r, ctx); r.Context() != ctx {
		return nil
	}
	return set
}
