package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

// A roundTripper repeats what may be repeated and bounds the body.
type roundTripper struct {
	next http.RoundTripper
	o    Options
}

// CloseIdleConnections is what http.Client.CloseIdleConnections looks for.
func (t *roundTripper) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		resp, err := t.once(req)
		if attempt >= t.o.Attempts || !repeatable(req, resp, err) {
			return resp, err
		}
		wait, ok := t.wait(req.Context(), resp, attempt)
		if !ok {
			return resp, err
		}
		again := req.Clone(req.Context())
		if req.GetBody != nil {
			body, bodyErr := req.GetBody()
			if bodyErr != nil {
				return resp, err
			}
			again.Body = body
		}
		if resp != nil {
			resp.Body.Close()
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-req.Context().Done():
			timer.Stop()
			if again.Body != nil {
				again.Body.Close()
			}
			return nil, context.Cause(req.Context())
		}
		req = again
	}
}

// once sends req and puts the answer's body under t's rules.
func (t *roundTripper) once(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	resp.Request = req
	if resp.Body == http.NoBody {
		cancel(nil)
		return resp, nil
	}
	b := &body{ReadCloser: resp.Body, cancel: cancel, ctx: ctx, stall: t.o.StallTimeout}
	if w, ok := resp.Body.(io.Writer); ok { // 101 Switching Protocols
		resp.Body = &upgraded{b, w}
	} else {
		resp.Body = b
	}
	return resp, nil
}

// repeatable reports whether req may be sent again after this outcome.
func repeatable(req *http.Request, resp *http.Response, err error) bool {
	if req.Context().Err() != nil || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	if err != nil {
		var op *net.OpError
		unsent := errors.As(err, &op) && op.Op == "dial"
		return (unsent || idempotent(req)) && !permanent(err)
	}
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return idempotent(req)
	}
	return false
}

func idempotent(req *http.Request) bool {
	switch req.Method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "DELETE":
		return true
	}
	// net/http, too, takes these for a promise, even if empty.
	return req.Header["Idempotency-Key"] != nil || req.Header["X-Idempotency-Key"] != nil
}

// permanent reports whether err would only come again.
func permanent(err error) bool {
	var cert *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	var dns *net.DNSError
	return errors.As(err, &cert) || errors.As(err, &notTLS) || errors.As(err, &dns) && dns.IsNotFound
}

const firstWait = 100 * time.Millisecond

// wait returns how long to wait before the next attempt, and whether that is
// worth while.
func (t *roundTripper) wait(ctx context.Context, resp *http.Response, attempt int) (time.Duration, bool) {
	d := min(firstWait<<min(attempt-1, 20), t.o.MaxWait)
	d = d/2 + rand.N(d/2+1)
	if resp != nil {
		if asked, ok := retryAfter(resp.Header.Get("Retry-After"), time.Now()); ok {
			if asked > t.o.MaxWait {
				return 0, false
			}
			d = max(d, asked)
		}
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return 0, false
	}
	return d, true
}

// retryAfter reads a number of seconds or a date (RFC 9110 section 10.2.3).
func retryAfter(v string, now time.Time) (time.Duration, bool) {
	if v == "" {
		return 0, false
	}
	if n, err := strconv.ParseUint(v, 10, 64); err == nil {
		return time.Duration(min(n, 1<<30)) * time.Second, true
	}
	if date, err := http.ParseTime(v); err == nil {
		return max(date.Sub(now), 0), true
	}
	return 0, false
}

// StalledError is the cause of a body's error where StallTimeout was exceeded.
type StalledError struct{ After time.Duration }

func (e *StalledError) Error() string {
	return fmt.Sprintf("client: no more of the answer's body came within %v", e.After)
}

// Timeout makes it a net.Error's sibling: os.IsTimeout and the like see it.
func (e *StalledError) Timeout() bool { return true }
