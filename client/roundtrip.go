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
	"strings"
	"time"
)

// A roundTripper retries requests, and applies StallTimeout to sending the
// request and reading the response body.
type roundTripper struct {
	next http.RoundTripper
	own  bool // next was created by this package
	o    Options
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t *roundTripper) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	left := t.o.Attempts
	for attempt := 1; ; attempt++ {
		resp, s, err := t.once(req, left)
		left -= s.times()
		if left <= 0 || !repeatable(req, resp, err, s.unsent(err)) {
			return resp, err
		}
		wait, ok := t.wait(req.Context(), resp, attempt)
		if !ok {
			return resp, err
		}
		again := req.WithContext(req.Context()) // its body may set req.Trailer
		if req.Body != nil && req.GetBody != nil {
			body, bodyErr := req.GetBody()
			if bodyErr != nil {
				return resp, err
			}
			again.Body = body
		}
		if resp != nil {
			resp.Body.Close()
		}
		if err := sleep(req.Context(), wait); err != nil {
			if again.Body != nil {
				again.Body.Close()
			}
			return nil, err
		}
		req = again
	}
}

// once sends req, at most max times because of retries by net/http, and wraps
// the response body. It also returns how req was sent.
func (t *roundTripper) once(req *http.Request, max int) (*http.Response, *sending, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	s := &sending{Context: ctx, cancel: cancel, own: t.own, stall: t.o.StallTimeout, max: max, maxWait: t.o.MaxWait}
	s.timed = !t.own && s.stall > 0
	resp, err := t.next.RoundTrip(s.outgoing(req))
	if resp == nil && err == nil {
		err = fmt.Errorf("client: the transport (%T) returned no response and no error", t.next)
	}
	if err != nil {
		s.finish()
		if stalled := s.stallError(err); stalled != nil {
			err = stalled // net/http's wrapper has no Timeout method
		}
		cancel(nil)
		return nil, s, err
	}
	resp.Request = req
	if resp.Body == nil || resp.Body == http.NoBody { // http.Client allows nil
		resp.Body = http.NoBody
		// Over HTTP/2, net/http still sends the rest of the request body, unless
		// the status is above 299 (Go issue 13444).
		if resp.ProtoMajor != 2 || s.whenFinished(func() { cancel(nil) }) {
			cancel(nil)
		}
		return resp, s, nil
	}
	responseBody := resp.Body
	b := &body{ReadCloser: responseBody, cancel: cancel, ctx: ctx, sending: s, stall: t.o.StallTimeout}
	if w, ok := resp.Body.(io.Writer); ok { // 101 Switching Protocols
		if c := s.connection(); c != nil {
			c.unbound()
		}
		resp.Body = &upgraded{b, w}
		return resp, s, nil
	}
	if resp.ProtoMajor == 2 && s.unfinished() {
		// While sending the request body is blocked by flow control, net/http
		// ignores the end of the context in Read.
		b.unwatch = context.AfterFunc(ctx, func() { responseBody.Close() })
	}
	b.quiet = isEventStream(resp.Header.Get("Content-Type"))
	resp.Body = b
	return resp, s, nil
}

// isEventStream reports whether a Content-Type is text/event-stream, in any
// case and with any parameters (RFC 9110 section 8.3.1).
func isEventStream(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), "text/event-stream")
}

// repeatable reports whether req may be retried after this result. unsent means
// that no part of it was sent.
func repeatable(req *http.Request, resp *http.Response, err error, unsent bool) bool {
	if req.Context().Err() != nil || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	if err != nil {
		return (unsent || idempotent(req)) && !permanent(err)
	}
	switch resp.StatusCode {
	case http.StatusConflict: // while the first request with an Idempotency-Key runs
		return idempotent(req) && resp.Header.Get("Retry-After") != ""
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
	// net/http also checks only whether these headers exist.
	return req.Header["Idempotency-Key"] != nil || req.Header["X-Idempotency-Key"] != nil
}

// permanent reports whether a retry would fail with the same error.
func permanent(err error) bool {
	var cert *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	var dns *net.DNSError
	return errors.As(err, &cert) || errors.As(err, &notTLS) || errors.As(err, &dns) && dns.IsNotFound
}

const firstWait = 100 * time.Millisecond

// backoff returns the wait after an attempt, without Retry-After.
func backoff(attempt int, most time.Duration) time.Duration {
	d := min(firstWait<<min(attempt-1, 20), most)
	return d/2 + rand.N(d/2+1)
}

// sleep waits for d. If ctx ends before, it returns its cause.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wait returns how long to wait before the next attempt. It reports false if
// there should be none.
func (t *roundTripper) wait(ctx context.Context, resp *http.Response, attempt int) (time.Duration, bool) {
	d := backoff(attempt, t.o.MaxWait)
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

// retryAfter parses a number of seconds or a date (RFC 9110 section 10.2.3).
func retryAfter(v string, now time.Time) (time.Duration, bool) {
	if v == "" {
		return 0, false
	}
	if n, err := strconv.ParseUint(v, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(n, 1<<30)) * time.Second, true
	}
	if date, err := http.ParseTime(v); err == nil {
		return max(date.Sub(now), 0), true
	}
	return 0, false
}
