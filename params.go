package muxmaster

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/typed"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// A Param is a path parameter and its value in a request.
type Param struct {
	Key   string // the parameter's name
	Value string // its decoded value
}

// Params are path values in the order of the pattern. A [FastHandler] receives
// them as an argument. With Mux.PoolFastParams, the slice is reused after the
// handler returns; a handler that retains it must copy it.
type Params []Param

// Get returns the value of the named parameter, or "" if there is none.
func (ps Params) Get(name string) string {
	value, _ := ps.Lookup(name)
	return value
}

// Lookup returns the value of the named parameter and reports whether it
// exists.
func (ps Params) Lookup(name string) (value string, ok bool) {
	for i := range ps {
		if ps[i].Key == name {
			return ps[i].Value, true
		}
	}
	return "", false
}

// PathParam returns r.PathValue(name).
func PathParam(r *http.Request, name string) string { return r.PathValue(name) }

// PathParams returns all path values of r, in the order of the matched pattern.
// Values set by outer routers follow. Values set by Request.SetPathValue are
// not included. The result is a copy; it is nil if there are no values.
func PathParams(r *http.Request) (ps Params) {
	if n := values.Count(r); n > 0 {
		ps = make(Params, 0, n)
		values.Each(r, func(name, value string) bool {
			ps = append(ps, Param{name, value})
			return true
		})
	}
	return ps
}

// RoutePattern returns the path part of r.Pattern, such as /users/:id, or "" if
// no route matched r. r.Pattern holds the whole pattern as registered, such as
// GET /users/:id.
func RoutePattern(r *http.Request) string {
	if i := strings.IndexByte(r.Pattern, '/'); i >= 0 {
		return r.Pattern[i:]
	}
	return ""
}

// FastPathValues reports whether muxmaster sets path values directly in the
// http.Request. It does so if it knows the layout of http.Request in this Go
// release. If not, or with the build tag muxmaster_safe, it uses
// r.SetPathValue, which is slower and allocates. A request within several
// routers then lists only the path values of the innermost one.
func FastPathValues() bool { return values.Direct }

// PathParamAs parses r.PathValue(name) as a T. T can be a string, integer,
// float or bool type, or a type whose pointer implements
// [encoding.TextUnmarshaler]. A function for [problem.Handler] can
// return the errors as they are. Their status is 400, with a detail that names
// the parameter, if the value cannot be parsed. It is 500 for mistakes in the
// program: if r has no path value of that name, or T is another type.
func PathParamAs[T any](r *http.Request, name string) (T, error) {
	s := r.PathValue(name)
	if s == "" {
		if _, ok := PathParams(r).Lookup(name); !ok {
			var zero T
			return zero, typed.Mistake(fmt.Errorf("muxmaster: the route %q has no parameter %q", r.Pattern, name))
		}
	}
	return typed.Parse[T](s, typed.Source{Kind: "path", Name: name})
}

// QueryAs parses the first query parameter with that name as [PathParamAs] does.
// A parameter that is missing, or whose value is malformed or cannot be parsed as
// a T, is an error with status 400 and a detail that names it.
func QueryAs[T any](r *http.Request, name string) (T, error) {
	v, found, err := typed.Query[T](r.URL.RawQuery, name)
	if err == nil && !found {
		err = typed.Source{Kind: "query", Name: name}.Bad("missing", errors.New("it is missing"))
	}
	return v, err
}

// QueryOr is [QueryAs] for a parameter that may be missing: it returns def then.
// An empty value (?page=) is not missing.
func QueryOr[T any](r *http.Request, name string, def T) (T, error) {
	v, found, err := typed.Query[T](r.URL.RawQuery, name)
	if err == nil && !found {
		v = def
	}
	return v, err
}
