package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
)

// DefaultMax is the maximum size, in bytes, of a response that JSON reads.
const DefaultMax = 8 << 20

// A StatusError is the error for a response whose status is not 2xx.
type StatusError struct {
	StatusCode int
	Status     string // for example "404 Not Found"
	Header     http.Header
	Body       []byte // the first 4 KiB of the body
}

// Error returns the first 200 bytes of the status, quoted if they aren't
// printable, and of the body, quoted.
func (e *StatusError) Error() string {
	const show = 200
	status, text := e.Status[:min(len(e.Status), show)], e.Body[:min(len(e.Body), show)]
	return fmt.Sprintf("client: the server responded with %s: %q", printable.Quote(status), text)
}

// JSON sends a request with in encoded as JSON, or without a body if in is nil,
// and decodes the JSON response, of at most DefaultMax bytes. If c is nil, it
// uses Shared. If the status is not 2xx, the error is a *StatusError. If the
// response has no body, JSON returns the zero value.
func JSON[T any](ctx context.Context, c *http.Client, method, url string, in any) (T, error) {
	var zero T
	var body io.Reader
	if in != nil {
		p, err := json.Marshal(in)
		if err != nil {
			return zero, fmt.Errorf("client: cannot encode the request as JSON: %w", err)
		}
		body = bytes.NewReader(p)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return zero, fmt.Errorf("client: %w", err)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return DoJSON[T](c, req, DefaultMax)
}

// DoJSON is like JSON but sends req. It sets the Accept header unless it is
// already set. The response can have at most max bytes; max <= 0 means
// DefaultMax.
func DoJSON[T any](c *http.Client, req *http.Request, max int64) (T, error) {
	var v, zero T
	if c == nil {
		c = Shared()
	}
	if max <= 0 {
		max = DefaultMax
	}
	max = min(max, math.MaxInt64-1) // one more is read below
	if req.Header == nil {          // the request wasn't made by http.NewRequest
		req.Header = make(http.Header)
	}
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		return zero, fmt.Errorf("client: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		var text []byte
		if resp.StatusCode != http.StatusSwitchingProtocols { // its body is the connection, without limits
			text, _ = io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		}
		return zero, &StatusError{resp.StatusCode, resp.Status, resp.Header, text}
	}
	p, err := io.ReadAll(io.LimitReader(resp.Body, max+1))
	switch {
	case err != nil:
		return zero, fmt.Errorf("client: cannot read the response: %w", err)
	case int64(len(p)) > max:
		return zero, fmt.Errorf("client: the response is larger than %d bytes; use DoJSON with a larger limit if that is expected", max)
	case len(p) == 0:
		return zero, nil
	}
	if err := json.Unmarshal(p, &v); err != nil {
		return zero, fmt.Errorf("client: the response is not the expected JSON: %w", printable.Error(err))
	}
	return v, nil
}
