// Package typed parses the parameters of paths and queries as values of Go types.
// It doesn't know routes. Package problem finds the status of its errors: 400 for
// values that the client must change, and 500 for mistakes in the program.
package typed

import (
	"encoding"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// A Source says where a value comes from, for errors.
type Source struct {
	Kind string // path or query
	Name string // the parameter's name
}

// Query parses the first parameter with that name in a raw query. found reports
// whether there is one.
func Query[T any](query, name string) (v T, found bool, err error) {
	from := Source{"query", name}
	if err := supported[T](from); err != nil {
		return v, false, err
	}
	for pair := range strings.SplitSeq(query, "&") {
		key, text, _ := strings.Cut(pair, "=")
		if k, err := url.QueryUnescape(key); pair == "" || err != nil || k != name {
			continue
		}
		// url.ParseQuery skips malformed values, so they would seem to be missing.
		if strings.Contains(text, ";") {
			return v, true, from.Bad("not valid", errors.New("it has a semicolon; write %3B"))
		}
		text, err := url.QueryUnescape(text)
		if err != nil {
			return v, true, from.Bad("not valid", err)
		}
		v, err = Parse[T](text, from)
		return v, true, err
	}
	return v, false, nil
}

// Parse parses a value as a T.
func Parse[T any](text string, from Source) (v T, err error) {
	if err := supported[T](from); err != nil {
		return v, err
	}
	if err := parseInto(&v, text); err != nil {
		return v, from.Bad("not valid", err)
	}
	return v, nil
}

// Bad returns the error for a value that the client must change. what completes
// the sentence "The parameter is".
func (s Source) Bad(what string, err error) error {
	return &valueError{http.StatusBadRequest, fmt.Sprintf("The %s parameter %q is %s.", s.Kind, s.Name, what),
		fmt.Errorf("muxmaster: %s parameter %q: %w", s.Kind, s.Name, err)}
}

// Mistake returns the error for a mistake in the program.
func Mistake(err error) error {
	return &valueError{status: http.StatusInternalServerError, err: err}
}

// supported returns an error if nothing can be parsed as a T.
func supported[T any](from Source) error {
	t := reflect.TypeFor[T]()
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	switch k := t.Kind(); {
	case k == reflect.String, k >= reflect.Bool && k <= reflect.Float64: // bool, integers, floats
		return nil
	}
	return Mistake(fmt.Errorf("muxmaster: %s parameter %q: "+
		"cannot parse into %s; use a string, integer, float or bool type, or give it an UnmarshalText method", from.Kind, from.Name, t))
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
