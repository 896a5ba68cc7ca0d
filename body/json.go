package body

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// WriteJSON answers with v as JSON: encoded into a pooled buffer first, then
// sent with Content-Length in one Write. On an encoding error nothing has been
// written and the caller can still answer 500. Statuses that have no body (1xx,
// 204, 304) get none. A Content-Type that is already set stays. The text is
// encoding/json's, without the newline that json.Encoder adds.
//
// The error is of v's encoding or of the Write; the latter means that the
// client is gone.
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

// ReadJSON decodes the body of r, at most max bytes, which must hold exactly
// one JSON value. It returns an *Error as WithBody does, and one with status
// 400 where the body is empty, is not JSON, does not fit T, or goes on after
// the value. Unknown fields are ignored, as encoding/json does. The
// Content-Type is not looked at.
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
		return &Error{http.StatusBadRequest, errors.New("empty, where a JSON value is expected")}
	}
	if err := json.Unmarshal(p, v); err != nil {
		return &Error{http.StatusBadRequest, fmt.Errorf("not the expected JSON: %w", err)}
	}
	return nil
}
