package body

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// WriteJSON does what muxmaster.JSON does, with a pooled buffer: it answers
// with the status code and with v as JSON, with a Content-Length and in one
// Write. It differs in two details: the Content-Type is application/json
// without a charset, and the newline after the value is left out. Use
// WriteJSON where answers are large or frequent; muxmaster.JSON needs no
// further import.
//
// If v can't be encoded, WriteJSON writes nothing, not even a header, and
// returns the error, so that the caller can still answer 500. It also returns
// the error of a failed Write, which means that the client is gone. A
// Content-Type that is already set stays. Statuses that have no body (1xx, 204,
// 304) get none.
func WriteJSON(w http.ResponseWriter, code int, v any) error {
	if code < 200 || code == http.StatusNoContent || code == http.StatusNotModified {
		w.WriteHeader(code)
		return nil
	}
	buf := getBuffer()
	defer putBuffer(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return fmt.Errorf("body: cannot encode the answer as JSON: %w", err)
	}
	p := buf.Bytes()
	p = p[:len(p)-1]
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Length", strconv.Itoa(len(p)))
	w.WriteHeader(code)
	_, err := w.Write(p)
	return err
}

// ReadJSON decodes the body of r, at most max bytes, which must be exactly one
// JSON value. max <= 0 means DefaultMax. It returns the errors of WithBody, and
// an *Error with status 400 if the body is empty, isn't JSON, doesn't fit T, or
// continues after the value. Unknown fields are ignored, as by encoding/json.
// The Content-Type isn't checked.
func ReadJSON[T any](w http.ResponseWriter, r *http.Request, max int64) (T, error) {
	var v T
	buf := getBuffer()
	defer putBuffer(buf)
	err := readInto(buf, w, r, max)
	if err == nil {
		err = unmarshal(buf.Bytes(), &v)
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return v, nil
}

func unmarshal(p []byte, v any) error {
	if len(p) == 0 {
		return &Error{http.StatusBadRequest, errors.New("the request body is empty; a JSON value is expected"), "The request body is empty; a JSON value is expected."}
	}
	if err := json.Unmarshal(p, v); err != nil {
		return &Error{http.StatusBadRequest, fmt.Errorf("the request body is not the expected JSON: %w", err), jsonDetail(err)}
	}
	return nil
}

// jsonDetail says what is wrong without the names of Go types.
func jsonDetail(err error) string {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("The request body is not valid JSON; see byte %d.", syntax.Offset)
	case errors.As(err, &mismatch) && mismatch.Field != "":
		return fmt.Sprintf("The request body is not the expected JSON: %q has the wrong type.", mismatch.Field)
	}
	return "The request body is not the expected JSON."
}
