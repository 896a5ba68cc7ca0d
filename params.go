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

// A Param is one path value: the parameter's name and what the path held there.
type Param struct {
	Key   string
	Value string
}

// Params are the path values of a route in the order of its pattern. A
// [FastHandler] gets them as an argument; with Mux.PoolFastParams they are reused
// when the handler returns, so a handler that keeps them keeps a copy.
type Params []Param

// Get returns the value of the parameter, "" if the route has none of that name.
func (ps Params) Get(name string) string {
	for i := range ps {
		if ps[i].Key == name {
			return ps[i].Value
		}
	}
	return ""
}

// Lookup returns the value of the parameter and whether the route has it.
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

// PathParams returns a copy of all path values of r in the order of the matched
// pattern, followed by those that routers further out have set. It returns nil
// if there are none, and leaves out those that r.SetPathValue has set.
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

// PathParamAs returns r.PathValue(name) parsed as a T: a string, an integer, a
// float, a bool, or a type whose pointer is an [encoding.TextUnmarshaler]. If the
// value cannot be parsed, the error names the parameter and has StatusCode 400,
// so that a [HandlerFuncE] can return it. If r has no value of the name, the
// error has StatusCode 500, since that is a mistake in the program.
func PathParamAs[T any](r *http.Request, name string) (T, error) {
	var v T
	s := r.PathValue(name)
	if s == "" && !slices.Contains(values.List(r), name) {
		return v, NewHTTPError(http.StatusInternalServerError,
			fmt.Errorf("muxmaster: the route %q has no parameter %q", r.Pattern, name))
	}
	if err := parseInto(&v, s); err != nil {
		return v, NewHTTPError(http.StatusBadRequest, fmt.Errorf("muxmaster: path parameter %q: %w", name, err))
	}
	return v, nil
}

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

// RoutePattern returns the path part of the pattern that matched r, "" if none
// did. r.Pattern has the whole pattern as it was registered.
func RoutePattern(r *http.Request) string {
	if i := strings.IndexByte(r.Pattern, '/'); i >= 0 {
		return r.Pattern[i:]
	}
	return ""
}
