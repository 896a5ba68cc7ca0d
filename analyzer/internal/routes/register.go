package routes

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/seed-1954dcaa/muxmaster"
)

// This file registers routes on a Mux of the router that muxvet was built with,
// to learn what the router says about them.

// anyFile is a file system for ServeFiles and ServeSPA that has every file.
type anyFile struct{}

func (anyFile) Open(string) (fs.File, error) {
	return fstest.MapFS{"index.html": new(fstest.MapFile)}.Open("index.html")
}

// NewMux returns an empty mux of the kind on which the program registers the
// route.
func (r *Route) NewMux() http.Handler {
	if r.Kind == Std {
		return http.NewServeMux()
	}
	return muxmaster.New()
}

// Register registers the route at its place on m, a *muxmaster.Mux or
// *http.ServeMux, with another handler. It returns the reason if the program's
// registration would panic. A Mux accepts the patterns of an http.ServeMux, too.
func (p Place) Register(m http.Handler) error {
	return reason(func() error {
		r, h := p.route, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		if std, ok := m.(*http.ServeMux); ok {
			std.Handle(r.Pattern, h)
			return nil
		}
		g := m.(*muxmaster.Mux).Group(p.prefix)
		if p.host != "" {
			g = g.Host(p.host)
		}
		switch {
		case r.Kind == Mount:
			g.Mount(r.Pattern, h)
		case r.Kind == Files:
			g.ServeFiles(r.Pattern, anyFile{})
		case r.Kind == SPA:
			g.ServeSPA(r.Pattern, anyFile{})
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

// Listed returns the routes that a Mux lists if it has only this one: one for
// each method, and two for a mounted handler. There are none for a route of an
// http.ServeMux.
func (p Place) Listed() ([]muxmaster.Route, error) {
	m := p.route.NewMux()
	err := p.Register(m)
	if mux, ok := m.(*muxmaster.Mux); ok && err == nil {
		return slices.Collect(mux.Routes()), nil
	}
	return nil, err
}

// tryPrefix returns an error if the prefix of a group or mount is invalid.
func tryPrefix(prefix string) error {
	return reason(func() error { muxmaster.New().Group(prefix); return nil })
}

// tryHost returns an error if the host of a group, inside another one or "", is
// invalid.
func tryHost(outer, host string) error {
	return reason(func() error {
		g := muxmaster.New().With()
		if outer != "" {
			g = g.Host(outer)
		}
		g.Host(host)
		return nil
	})
}

// TrySegment returns an error if the segment of a path is invalid.
func TrySegment(seg string) error {
	return reason(func() error { return muxmaster.New().TryHandle("/"+seg, http.NotFoundHandler()) })
}

// quoted matches what comes before the reason in the messages of the router and
// of http.ServeMux.
var quoted = regexp.MustCompile(`^muxmaster: [^"]*"(?:[^"\\]|\\.)*": |^(?:http: )?(?:parsing ".*": (?:at offset \d+: )?)?`)

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
