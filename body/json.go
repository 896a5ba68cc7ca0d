package body

import (
	"bytes"
	"cmp"
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
// that clients notice misspelled ones, and a Content-Type other than
// application/json or one that ends in +json, or several (415). Browsers can't
// send these from a form of another site.
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
// *problem.Error or an error with the same methods; the text of other errors is
// only for the log.
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

// unmarshalStrict is json.Unmarshal, except that it rejects unknown fields.
func unmarshalStrict(p []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(p))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	more := err == nil && len(bytes.TrimLeft(p[d.InputOffset():], " \t\r\n")) > 0
	if more || err == io.EOF || err == io.ErrUnexpectedEOF {
		err = cmp.Or(json.Unmarshal(p, new(json.RawMessage)), err) // says where
	}
	return err
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
		return fmt.Sprintf("The request body is not the expected JSON: %q has the wrong type.", mismatch.Field)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok && len(name) <= maxName {
		return fmt.Sprintf("The request body is not the expected JSON: the field %s is unknown.", name)
	}
	return "The request body is not the expected JSON."
}
