//go:build !muxmaster_portable

package request

import (
	"context"
	"net/http"
	"reflect"
	"unsafe"
)

func init() { SetContext = findSetContext() }

// findSetContext returns a function that sets the context of a request in
// place; [http.Request.WithContext] would copy the request.
//
// The function writes the unexported field ctx, which reflection finds at
// program start. If there is no such field of the expected type, or a trial
// fails, findSetContext returns nil and requests are copied.
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
