package routes

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
)

// This file registers routes on a Mux of the router that muxvet was built with,
// to learn what the router says about them.

// Register registers the route at its place on m, with another handler. It
// returns the reason if the program's registration would panic. Patterns of an
// http.ServeMux are registered in the same way, because the router accepts a
// superset.
func (p Place) Register(m *muxmaster.Mux) error {
	return reason(func() error {
		r, h := p.route, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		g := m.Group(p.prefix)
		switch {
		case r.Kind == Mount:
			g.Mount(r.Pattern, h)
		case r.Kind != Verb:
			return g.TryHandle(r.Pattern, h)
		case r.Methods == nil:
			g.ANY(r.Pattern, h.ServeHTTP)
		default:
			g.Method(strings.Join(r.Methods, ","), r.Pattern, h)
		}
		return nil
	})
}

// Listed returns the routes that the router lists if it has only this one: one
// for each method, and two for a mounted handler.
func (p Place) Listed() ([]muxmaster.Route, error) {
	m := muxmaster.New()
	if err := p.Register(m); err != nil {
		return nil, err
	}
	return slices.Collect(m.Routes()), nil
}

// TryPrefix returns an error if the prefix of a group or mount is invalid.
func TryPrefix(prefix string) error {
	return reason(func() error { muxmaster.New().Group(prefix); return nil })
}

// TrySegment returns an error if the segment of a path is invalid.
func TrySegment(seg string) error {
	return reason(func() error { return muxmaster.New().TryHandle("/"+seg, http.NotFoundHandler()) })
}

// quoted matches what comes before the reason in the router's messages.
var quoted = regexp.MustCompile(`^muxmaster: [^"]*"(?:[^"\\]|\\.)*": `)

// reason returns the error or panic of register, without the pattern.
func reason(register func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			err = errors.New(quoted.ReplaceAllString(err.Error(), ""))
		}
	}()
	return register()
}
