package muxmaster_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// A nil handler, function or middleware panics at registration, on a Mux and on a
// Group, and the text names the method or pattern.
func TestNilArguments(t *testing.T) {
	for _, c := range []struct {
		want string
		call func(muxmaster.Router)
	}{
		{`"GET /x": the handler is nil`, func(r muxmaster.Router) { r.GET("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.ANY("/x", nil) }},
		{`"GET /x": the handler is nil`, func(r muxmaster.Router) { r.GETFast("/x", nil) }},
		{`"PUT /x": the handler is nil`, func(r muxmaster.Router) { r.Method("PUT", "/x", nil) }},
		{`"PUT /x": the handler is nil`, func(r muxmaster.Router) { r.Method("PUT", "/x", http.HandlerFunc(nil)) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.Handle("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.Handle("/x", http.HandlerFunc(nil)) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.HandleFunc("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { r.HandleFast("/x", nil) }},
		{`"/x": the handler is nil`, func(r muxmaster.Router) { panic(r.TryHandle("/x", nil)) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", nil) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", (*muxmaster.Mux)(nil)) }},
		{`Mount "/x": the handler is nil`, func(r muxmaster.Router) { r.Mount("/x", http.HandlerFunc(nil)) }},
		{`Use: the middleware is nil`, func(r muxmaster.Router) { r.Use(nil) }},
		{`UseFast: the middleware is nil`, func(r muxmaster.Router) { r.UseFast(nil) }},
		{`the middleware is nil`, func(r muxmaster.Router) { r.With(nil) }},
		{`Route "/x": the function is nil`, func(r muxmaster.Router) { r.Route("/x", nil) }},
		{`ServeFiles "/x/*f": the file system is nil`, func(r muxmaster.Router) { r.ServeFiles("/x/*f", nil) }},
		{`Pre: the middleware is nil`, func(r muxmaster.Router) { muxmaster.New().Pre(nil) }},
	} {
		m := muxmaster.New()
		for name, r := range map[string]muxmaster.Router{"Mux": m, "Group": m.Group("")} {
			text := panics(func() { c.call(r) })
			if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, c.want) {
				t.Errorf("%s: panicked with %q, want %q", name, text, c.want)
			}
		}
		for route := range m.Routes() {
			t.Errorf("%s: registered %s", c.want, fmt.Sprint(route))
		}
	}
}
