package muxmaster_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/trietest"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// This file compares a mounted Mux, whose routes become those of the outer one,
// with the same Mux behind a handler that is mounted and removes the prefix.

// called returns a handler that calls h without the prefix, and puts the prefix
// before the location of a redirect.
func called(h http.Handler, prefix string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.URL.RawPath = strings.TrimPrefix(r.URL.Path, prefix), strings.TrimPrefix(r.URL.RawPath, prefix)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, inner)
		if l := rec.Header().Get("Location"); l != "" {
			rec.Header().Set("Location", prefix+l)
		}
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	})
}

func holdMounted(t *testing.T, routes, requests []byte) {
	c := trietest.Choices(routes)
	registration, ref := trietest.Registration(c.Pick(3)), refMux{redirectSlash: c.Pick(2) == 0}
	outerSlash, outerRoutes, nested := c.Pick(2) == 0, c.Pick(3), c.Pick(2) == 0
	for c.More() && len(ref.routes) < 30 {
		ref.routes = append(ref.routes, c.Route(registration))
	}
	mounted := func(h http.Handler) *muxmaster.Mux {
		m := newMux(outerRoutes == 1)
		m.RedirectTrailingSlash = outerSlash
		switch outerRoutes { // of which none gets what is below the mount
		case 1:
			m.GET("/*all", tell("outer"))
		case 2:
			m.Handle("/{a}/{b}/{c...}", tell("outer"))
			m.Handle("PUT /p/", tell("outer"))
			m.POST("/{a}/{b}", tell("outer"))
		}
		if !nested {
			m.Mount("/p/q", h)
			return m
		}
		middle := muxmaster.New()
		middle.RedirectTrailingSlash = outerSlash
		middle.Mount("/q", h)
		m.Mount("/p", middle)
		return m
	}
	inner, kept := ref.build(t, false, false)
	calledInner, _ := ref.build(t, true, false)
	flat, opaque := mounted(inner), mounted(called(calledInner, "/p/q"))
	c = requests
	for c.More() {
		method := trietest.Of(&c, trietest.RequestMethods)
		host := trietest.Of(&c, trietest.RequestHosts)
		target := "/p/q" + c.Target(kept.routes)
		if method == "CONNECT" || !trietest.SplitPath(target).Clean() || wirepath.DotInside(wirepath.Decode(target)) {
			continue
		}
		r, err := readRequest(host, method, target)
		if err != nil {
			continue
		}
		r2, _ := readRequest(host, method, target)
		got, want := ask(flat, r), ask(opaque, r2)
		if got.status == 307 { // the body has the location
			got.body, want.body = "", ""
		}
		if got != want {
			t.Errorf("%s %s%s: mounted %q, called %q\nroutes: %q, outer routes %d, nested %v, slash redirects outside %v and inside %v",
				method, host, target, got.brief(), want.brief(), kept.routes.Patterns(), outerRoutes, nested, outerSlash, ref.redirectSlash)
		}
	}
}

func TestReferenceOfMounts(t *testing.T) { trietest.Random(t, 300, 150, holdMounted) }
func FuzzMounts(f *testing.F)            { trietest.Fuzz(f, holdMounted) }
