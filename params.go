package muxmaster

import (
	"encoding"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

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
func PathParams(r *http.Request) (ps Params) {
	if n := values.Count(r); n > 0 {
		ps = appendParams(make(Params, 0, n), r, n)
	}
	return ps
}

// appendParams appends the first n path values of r to ps.
func appendParams(ps Params, r *http.Request, n int) Params {
	if n > 0 {
		values.Each(r, func(name, value string) bool {
			ps = append(ps, Param{name, value})
			n--
			return n > 0
		})
	}
	return ps
}

// A FastHandler serves a request and receives the path values as an argument. It
// is for code written for httprouter: an http.Handler that calls r.PathValue is
// faster. UseFast adds middleware for fast handlers; middleware of Use cannot
// wrap them.
type FastHandler func(http.ResponseWriter, *http.Request, Params)

// A FastMiddleware wraps a FastHandler. Add it with UseFast.
type FastMiddleware func(FastHandler) FastHandler

// fastHandler makes a FastHandler an http.Handler, so that a route can hold it.
type fastHandler FastHandler

// ServeHTTP calls h for callers that know only an http.Handler, such as Pre
// middleware.
func (h fastHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h(w, r, PathParams(r))
}

// A fastRoute calls a FastHandler with the path values of its route.
type fastRoute struct {
	handler fastHandler
	values  int  // their number; those of outer routers follow in the request
	pooled  bool // the Params are used again
}

func (h *fastRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.values == 0 {
		h.handler(w, r, nil)
		return
	}
	if !h.pooled {
		h.handler(w, r, appendParams(make(Params, 0, h.values), r, h.values))
		return
	}
	buf := paramsPool.Get().(*Params)
	ps := appendParams((*buf)[:0], r, h.values)
	h.handler(w, r, ps)
	clear(ps)
	*buf = ps[:0]
	paramsPool.Put(buf)
}

var paramsPool = sync.Pool{New: func() any { return new(Params) }}

// PathParamAs parses r.PathValue(name) as a T. T can be a string, integer,
// float or bool type, or a type whose pointer implements
// [encoding.TextUnmarshaler]. A function for [problem.Handler] can
// return the errors as they are. Their status is 400, with a detail that names
// the parameter, if the value cannot be parsed. It is 500 for mistakes in the
// program: if r has no path value of that name, or T is another type.
func PathParamAs[T any](r *http.Request, name string) (T, error) {
	s := r.PathValue(name)
	if s == "" && !slices.Contains(values.List(r), name) {
		var zero T
		return zero, &valueError{status: http.StatusInternalServerError,
			err: fmt.Errorf("muxmaster: the route %q has no parameter %q", r.Pattern, name)}
	}
	return parseAs[T](s, "path", name)
}

// QueryAs parses the first query parameter with that name as [PathParamAs] does.
// A parameter that is missing, or whose value is malformed or cannot be parsed as
// a T, is an error with status 400 and a detail that names it.
func QueryAs[T any](r *http.Request, name string) (T, error) {
	v, found, err := queryAs[T](r, name)
	if err == nil && !found {
		err = badValue("query", name, "missing", errors.New("it is missing"))
	}
	return v, err
}

// QueryOr is [QueryAs] for a parameter that may be missing: it returns def then.
// An empty value (?page=) is not missing.
func QueryOr[T any](r *http.Request, name string, def T) (T, error) {
	v, found, err := queryAs[T](r, name)
	if err == nil && !found {
		v = def
	}
	return v, err
}

func queryAs[T any](r *http.Request, name string) (v T, found bool, err error) {
	if err := supported[T]("query", name); err != nil {
		return v, false, err
	}
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		key, text, _ := strings.Cut(pair, "=")
		if k, err := url.QueryUnescape(key); pair == "" || err != nil || k != name {
			continue
		}
		// url.ParseQuery skips malformed values, so they would seem to be missing.
		if strings.Contains(text, ";") {
			return v, true, badValue("query", name, "not valid", errors.New("it has a semicolon; write %3B"))
		}
		text, err := url.QueryUnescape(text)
		if err != nil {
			return v, true, badValue("query", name, "not valid", err)
		}
		v, err = parseAs[T](text, "query", name)
		return v, true, err
	}
	return v, false, nil
}

// parseAs parses s as a T. The other arguments name the parameter in errors.
func parseAs[T any](s, kind, name string) (v T, err error) {
	if err := supported[T](kind, name); err != nil {
		return v, err
	}
	if err := parseInto(&v, s); err != nil {
		return v, badValue(kind, name, "not valid", err)
	}
	return v, nil
}

// badValue returns the error for a value that the client must change.
func badValue(kind, name, what string, err error) error {
	return &valueError{http.StatusBadRequest, fmt.Sprintf("The %s parameter %q is %s.", kind, name, what),
		fmt.Errorf("muxmaster: %s parameter %q: %w", kind, name, err)}
}

// supported returns an error if nothing can be parsed as a T.
func supported[T any](kind, name string) error {
	t := reflect.TypeFor[T]()
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	switch k := t.Kind(); {
	case k == reflect.String, k >= reflect.Bool && k <= reflect.Float64: // bool, integers, floats
		return nil
	}
	return &valueError{status: http.StatusInternalServerError, err: fmt.Errorf("muxmaster: %s parameter %q: "+
		"cannot parse into %s; use a string, integer, float or bool type, or give it an UnmarshalText method", kind, name, t)}
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
