package muxmaster

import (
	"encoding"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

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
	for i := range ps {
		if ps[i].Key == name {
			return ps[i].Value
		}
	}
	return ""
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
func PathParams(r *http.Request) Params {
	list := values.List(r)
	if list == nil {
		return nil
	}
	ps := make(Params, len(list))
	for i, name := range list {
		ps[i] = Param{name, r.PathValue(name)}
	}
	return ps
}

// PathParamAs parses r.PathValue(name) as a T. T can be a string, integer,
// float or bool type, or a type whose pointer implements
// [encoding.TextUnmarshaler]. A function for [problem.Handler] can
// return the errors as they are. Their status is 400, with a detail that names
// the parameter, if the value cannot be parsed. It is 500 if r has no path value
// of that name, because that is a mistake in the program.
func PathParamAs[T any](r *http.Request, name string) (T, error) {
	var v T
	s := r.PathValue(name)
	if s == "" && !slices.Contains(values.List(r), name) {
		return v, &valueError{status: http.StatusInternalServerError,
			err: fmt.Errorf("muxmaster: the route %q has no parameter %q", r.Pattern, name)}
	}
	if err := parseInto(&v, s); err != nil {
		return v, &valueError{http.StatusBadRequest, fmt.Sprintf("The path parameter %q is not valid.", name),
			fmt.Errorf("muxmaster: path parameter %q: %w", name, err)}
	}
	return v, nil
}

// A valueError is the error of a value in a request. Package problem finds its
// status and detail.
type valueError struct {
	status int
	detail string // for the client
	err    error
}

func (e *valueError) StatusCode() int       { return e.status }
func (e *valueError) ProblemDetail() string { return e.detail }
func (e *valueError) Error() string         { return e.err.Error() }
func (e *valueError) Unwrap() error         { return e.err }

func parseInto(dst any, s string) error {
	if u, ok := dst.(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(s))
	}
	v := reflect.ValueOf(dst).Elem()
	var err error
	switch kind := v.Kind(); kind {
	case reflect.String:
		v.SetString(strings.Clone(s))
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(s)
		v.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(s, 10, v.Type().Bits())
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		var n uint64
		n, err = strconv.ParseUint(s, 10, v.Type().Bits())
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(s, v.Type().Bits())
		v.SetFloat(f)
	default:
		return fmt.Errorf("cannot parse into %s; give it an UnmarshalText method", v.Type())
	}
	if err != nil {
		v.SetZero()
		return fmt.Errorf("%q is not a valid %s: %w", s, v.Type(), err)
	}
	return nil
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
