package body

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
)

// WriteJSON writes a response with the given status code and v encoded as JSON.
// It uses a pooled buffer, so it is suitable for large and frequent responses.
// It sets Content-Type to application/json unless it is already set, and
// Content-Length unless Content-Encoding is set, because a middleware that
// compresses changes the length. For a status that allows no body (1xx, 204,
// 205, 304), it writes only the header.
//
// If encoding v fails, WriteJSON writes nothing, not even a header, and returns
// the error, so that the caller can respond with 500. It also returns errors
// from writing the response, which usually mean that the client has
// disconnected.
func WriteJSON(w http.ResponseWriter, code int, v any) error {
	buf := getBuffer()
	defer putBuffer(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return fmt.Errorf("body: cannot encode the response as JSON: %w", err)
	}
	if code < 200 || code == http.StatusNoContent || code == http.StatusResetContent || code == http.StatusNotModified {
		w.WriteHeader(code) // RFC 9110, sections 6.4.1 and 15.3.6
		return nil
	}
	p := buf.Bytes()
	p = p[:len(p)-1] // without the line end
	h := w.Header()
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = []string{"application/json"}
	}
	if h.Get("Content-Encoding") == "" {
		h["Content-Length"] = []string{strconv.Itoa(len(p))}
	}
	w.WriteHeader(code)
	_, err := w.Write(p)
	return err
}

// An Option changes what [ReadJSON] accepts.
type Option uint8

// Strict makes ReadJSON reject a body with fields that T doesn't have (400), so
// that clients notice misspelled ones, and with names that an object has twice,
// also in different case (400), because programs differ in which they take. It
// rejects a Content-Type other than application/json or one that ends in +json, or
// several (415). Browsers can't send these from a form of another site. As with
// encoding/json, the case of a name doesn't matter.
const Strict Option = 1

// ReadJSON decodes the body of r, which must be exactly one JSON value of at
// most max bytes. max <= 0 means DefaultMax. It returns the same errors as
// WithBody, and an *Error with status 400 if the body is empty, isn't valid
// JSON, doesn't match T, or has data after the value. Like encoding/json, it
// ignores unknown fields, and it doesn't check the Content-Type; [Strict] changes
// both.
//
// If T or *T has a method Validate() error, ReadJSON calls it. The error becomes
// an *Error with status 422. To tell the client what is wrong, Validate returns a
// *problem.Error or an error with the same methods. The text of other errors,
// which may say more than clients should know, is not sent: problem.Write logs it,
// and the client is told that the body is not valid.
func ReadJSON[T any](w http.ResponseWriter, r *http.Request, max int64, options ...Option) (T, error) {
	var v, zero T
	strict := slices.Contains(options, Strict)
	if types := r.Header["Content-Type"]; strict && (len(types) != 1 || !isJSON(types[0])) {
		return zero, &Error{http.StatusUnsupportedMediaType, fmt.Errorf("the Content-Type %q is not application/json", strings.Join(types, ", ")),
			"The Content-Type of the request must be application/json."}
	}
	buf := getBuffer()
	defer putBuffer(buf)
	if err := readInto(buf, w, r, max); err != nil {
		return zero, err
	}
	// A copy, because a method UnmarshalJSON might retain its argument.
	if err := unmarshal(bytes.Clone(buf.Bytes()), &v, strict); err != nil {
		return zero, err
	}
	if err := validate(&v); err != nil {
		return zero, err
	}
	return v, nil
}

func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

func unmarshal(p []byte, v any, strict bool) error {
	if len(p) == 0 {
		return &Error{http.StatusBadRequest, errors.New("the request body is empty; a JSON value is expected"), "The request body is empty; a JSON value is expected."}
	}
	var err error
	if strict {
		err = unmarshalStrict(p, v)
	} else {
		err = json.Unmarshal(p, v)
	}
	if err != nil {
		return &Error{http.StatusBadRequest, fmt.Errorf("the request body is not the expected JSON: %w", printable.Error(err)), jsonDetail(err)}
	}
	return nil
}

// unmarshalStrict is json.Unmarshal, except that it rejects unknown fields and
// repeated names.
func unmarshalStrict(p []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(p))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	more := err == nil && len(bytes.TrimLeft(p[d.InputOffset():], " \t\r\n")) > 0
	if more || err == io.EOF || err == io.ErrUnexpectedEOF {
		err = cmp.Or(json.Unmarshal(p, new(json.RawMessage)), err) // says where
	}
	if err == nil {
		if name, ok := repeatedName(p); ok {
			return repeatedError(name)
		}
	}
	return err
}

// A repeatedError says that an object has two members with this name.
type repeatedError string

func (e repeatedError) Error() string { return fmt.Sprintf("the name %q is repeated", string(e)) }

// repeatedName returns a name that an object of p, which is valid JSON, has
// twice, also in different case: encoding/json takes both for one field. It doesn't
// know which objects become maps, where they would be two.
func repeatedName(p []byte) (name string, ok bool) {
	var levels []map[string]bool // the names of each object; nil for an array
	isName := false
	for i := 0; i < len(p); i++ {
		switch n := len(levels); p[i] {
		case '{':
			levels, isName = append(levels, make(map[string]bool)), true
		case '[':
			levels, isName = append(levels, nil), false
		case '}', ']':
			levels = levels[:n-1]
		case ',':
			isName = levels[n-1] != nil
		case ':':
			isName = false
		case '"':
			start := i
			for i++; p[i] != '"'; i++ {
				if p[i] == '\\' {
					i++
				}
			}
			if !isName {
				continue
			}
			if err := json.Unmarshal(p[start:i+1], &name); err != nil {
				return "", false // can't be
			}
			folded := strings.Map(foldRune, name)
			if levels[n-1][folded] {
				return name, true
			}
			levels[n-1][folded] = true
		}
	}
	return "", false
}

// foldRune returns the smallest rune that differs from r only in case.
func foldRune(r rune) rune {
	least := r
	for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
		least = min(least, x)
	}
	return least
}

// validate calls the method Validate of *v or, if that is a pointer, of **v.
func validate[T any](v *T) error {
	x, ok := any(v).(interface{ Validate() error })
	if !ok {
		if x, ok = any(*v).(interface{ Validate() error }); !ok {
			return nil
		}
		if p := reflect.ValueOf(x); p.Kind() == reflect.Pointer && p.IsNil() {
			return &Error{http.StatusUnprocessableEntity, errors.New("the request body is null"), "The request body must not be null."}
		}
	}
	err := x.Validate()
	if err == nil {
		return nil
	}
	detail := "The request body is not valid."
	if d, ok := errors.AsType[interface {
		error
		ProblemDetail() string
	}](err); ok && d.ProblemDetail() != "" {
		detail = d.ProblemDetail()
	}
	return &Error{http.StatusUnprocessableEntity, fmt.Errorf("the request body is not valid: %w", err), detail}
}

// jsonKind returns what JSON has for a type, or "" if that isn't certain, because
// the type decodes itself.
func jsonKind(t reflect.Type) string {
	if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return ""
	}
	switch t {
	case reflect.TypeFor[[]byte]():
		return "a string"
	case reflect.TypeFor[json.Number]():
		return "a number"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr {
		return "a whole number"
	}
	return ""
}

// maxName is the maximum length of a field's name in a response, in bytes.
const maxName = 100

// jsonDetail returns a description of err for the client, without names of Go
// types.
func jsonDetail(err error) string {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("The request body is not valid JSON; see byte %d.", syntax.Offset)
	case errors.As(err, &mismatch) && mismatch.Field != "" && len(mismatch.Field) <= maxName:
		fault := "has the wrong type"
		number, isNumber := strings.CutPrefix(mismatch.Value, "number ")
		switch kind := jsonKind(mismatch.Type); {
		case isNumber && (kind == "a number" || !strings.ContainsAny(number, ".eE")):
			fault = "is out of range"
		case kind != "":
			fault = "must be " + kind
		}
		return fmt.Sprintf("The request body is not the expected JSON: %q %s.", mismatch.Field, fault)
	}
	if name, ok := errors.AsType[repeatedError](err); ok && len(name) <= maxName {
		return fmt.Sprintf("The request body is not the expected JSON: the name %q is repeated.", string(name))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok && len(name) <= maxName {
		return fmt.Sprintf("The request body is not the expected JSON: the field %s is unknown.", name)
	}
	return "The request body is not the expected JSON."
}
