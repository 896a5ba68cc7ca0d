package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// DefaultMax is the largest answer, in bytes, that JSON reads.
const DefaultMax = 8 << 20

// A StatusError is an answer whose status is not 2xx.
type StatusError struct {
	StatusCode int
	Status     string // "404 Not Found"
	Header     http.Header
	Body       []byte // its first 4 KiB
}

// Error returns the status and the first 200 bytes of the body, quoted.
func (e *StatusError) Error() string {
	const show = 200
	text := e.Body
	if len(text) > show {
		text = text[:show]
	}
	return fmt.Sprintf("client: the server answered %s: %q", e.Status, text)
}

// JSON sends in as JSON, unless it is nil, and decodes the answer into a T,
// reading at most DefaultMax bytes. A nil c means Shared. The request is
// repeated where its method allows that. The error is a *StatusError if the
// status isn't 2xx. An answer without a body leaves T zero.
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

// DoJSON does what JSON does with a request that the caller has made. It reads
// at most max bytes of the answer; max <= 0 means DefaultMax.
func DoJSON[T any](c *http.Client, req *http.Request, max int64) (T, error) {
	var v, zero T
	if c == nil {
		c = Shared()
	}
	if max <= 0 {
		max = DefaultMax
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
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		return zero, &StatusError{resp.StatusCode, resp.Status, resp.Header, text}
	}
	p, err := io.ReadAll(io.LimitReader(resp.Body, max+1))
	switch {
	case err != nil:
		return zero, fmt.Errorf("client: cannot read the answer: %w", err)
	case int64(len(p)) > max:
		return zero, fmt.Errorf("client: the answer is larger than %d bytes; use DoJSON with a larger limit if that is expected", max)
	case len(p) == 0:
		return zero, nil
	}
	if err := json.Unmarshal(p, &v); err != nil {
		return zero, fmt.Errorf("client: the answer is not the expected JSON: %w", err)
	}
	return v, nil
}
