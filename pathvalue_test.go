//go:build !muxmaster_safe

package muxmaster

import (
	"net/http"
	"os"
	"reflect"
	"testing"
)

// TestMain runs all tests as under a net/http of unknown layout, if so told:
//
//	MUXMASTER_FALLBACK=1 go test -skip 'TestDirect|Alloc|BytesPerValue' .
func TestMain(m *testing.M) {
	if os.Getenv("MUXMASTER_FALLBACK") != "" {
		direct = false
	}
	os.Exit(m.Run())
}

// On each Go release that go.mod allows, the fast delivery is in use.
func TestDirect(t *testing.T) {
	if !direct {
		t.Error("path values are not delivered directly: net/http's layout is not the one of pathvalue.go")
	}
}

func TestSameLayout(t *testing.T) {
	type inner struct{ s string }
	type other struct{ t string }
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
