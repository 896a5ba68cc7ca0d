package wrapped_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/wrapped"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

func show(http.ResponseWriter, *http.Request) error { return nil }

func serve(http.ResponseWriter, *http.Request) {}

type api struct{}

func (*api) remove(http.ResponseWriter, *http.Request) error { panic("called") }

func TestName(t *testing.T) {
	for _, tt := range []struct {
		f    any
		want string
	}{
		{serve, "serve"},
		{http.HandlerFunc(serve), "serve"},
		{problem.Handler(show), "show"},
		{problem.Handler(new(api).remove), "(*api).remove-fm"},
		{problem.Handler(func(http.ResponseWriter, *http.Request) error { panic("called") }), "TestName.func1"},
		{http.HandlerFunc(problem.Handler(show).ServeHTTP), "HandlerFunc.ServeHTTP-fm"},
		{http.NewServeMux(), "*http.ServeMux"},
	} {
		if got := wrapped.Name(tt.f); !strings.HasSuffix(got, tt.want) {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
