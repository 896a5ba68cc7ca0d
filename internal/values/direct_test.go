//go:build !muxmaster_safe

package values

import (
	"net/http"
	"reflect"
	"testing"
	"unsafe"
)

// TestDirect checks that direct delivery works with this Go release.
func TestDirect(t *testing.T) {
	if !Direct {
		t.Error("path values are not delivered directly: net/http's layout is not the one of direct.go")
	}
}

func TestSameLayout(t *testing.T) {
	//lint:ignore U1000 the fields are read by reflection
	type inner struct{ s string }
	//lint:ignore U1000 the fields are read by reflection
	type other struct{ t string }
	//lint:ignore U1000 the fields are read by reflection
	type real struct {
		a *inner
		b []inner
	}
	tests := []struct {
		copied any
		want   bool
	}{
		{real{}, true},
		{struct {
			a *inner
			b []inner
		}{}, true},
		{struct {
			a *other
			b []inner
		}{}, false},
		{struct {
			a *inner
			b []other
		}{}, false},
		{struct {
			_ [unsafe.Offsetof(real{}.b)]byte
			b []inner
		}{}, true},
		{struct {
			_ [unsafe.Offsetof(real{}.b)]byte
			b []other
		}{}, false},
		{struct {
			_ [unsafe.Offsetof(real{}.b)]byte
			c []inner
		}{}, false},
		{struct{ a *inner }{}, false},
		{struct {
			b []inner
			a *inner
		}{}, false},
		{http.Request{}, false},
	}
	for _, tt := range tests {
		if got := sameLayout(reflect.TypeFor[real](), reflect.TypeOf(tt.copied), 3); got != tt.want {
			t.Errorf("sameLayout of %T = %v, want %v", tt.copied, got, tt.want)
		}
	}
}
