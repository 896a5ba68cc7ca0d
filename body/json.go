package body

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// WriteJSON writes a response with the given status code and v encoded as JSON.
// It uses a pooled buffer, so it is suitable for large and frequent responses.
// It sets Content-Type to application/json unless it is already set, and
// Content-Length unless Content-Encoding is set, because a middleware that
// compresses changes the length. For a status that allows no body (1xx, 204,
// 304), it writes only the header.
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
	p := buf.Bytes()
	p = p[:len(p)-1]                                                                  // without the line end
	if code < 200 || code == http.StatusNoContent || code == http.StatusNotModified { // RFC 9110, section 6.4.1
		w.WriteHeader(code)
		return nil
	}
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

// ReadJSON decodes the body of r, which must be exactly one JSON value of at
// most max bytes. max <= 0 means DefaultMax. It returns the same errors as
// WithBody, and an *Error with status 400 if the body is empty, isn't valid
// JSON, doesn't match T, or has data after the value. Like encoding/json, it
// ignores unknown fields. It doesn't check the Content-Type.
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

// jsonDetail returns a description of err for the client, without names of Go
// types.
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
