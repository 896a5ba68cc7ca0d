package client

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// The wait before a retry doubles up to MaxWait, with jitter of one half, and is
// at least Retry-After. There is no retry if Retry-After or the context's
// deadline doesn't allow it.
func TestWait(t *testing.T) {
	const ms = time.Millisecond
	tr := &roundTripper{o: Options{MaxWait: 10 * time.Second}}
	for _, tt := range []struct {
		attempt     int
		retryAfter  string
		deadline    time.Duration // from now; 0 for none
		least, most time.Duration // 0 for no retry
	}{
		{1, "", 0, 50 * ms, 100 * ms},
		{2, "", 0, 100 * ms, 200 * ms},
		{5, "", 0, 800 * ms, 1600 * ms},
		{8, "", 0, 5 * time.Second, 10 * time.Second},
		{1000, "", 0, 5 * time.Second, 10 * time.Second},
		{1, "3", 0, 3 * time.Second, 3 * time.Second},
		{1, "10", 0, 10 * time.Second, 10 * time.Second},
		{1, "11", 0, 0, 0},
		{1, "99999999999999999999", 0, 0, 0},
		{1, "18446744073709551615", 0, 0, 0},
		{1, "Fri, 31 Dec 9999 23:59:59 GMT", 0, 0, 0},
		{1, "-99999", 0, 50 * ms, 100 * ms},
		{1, "soon", 0, 50 * ms, 100 * ms},
		{1, "Thu, 01 Jan 1970 00:00:00 GMT", 0, 50 * ms, 100 * ms},
		{1, "", time.Hour, 50 * ms, 100 * ms},
		{8, "", 4 * time.Second, 0, 0},
		{1, "3", 2 * time.Second, 0, 0},
	} {
		ctx := t.Context()
		if tt.deadline > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, tt.deadline)
			defer cancel()
		}
		for range 20 {
			d, ok := tr.wait(ctx, &http.Response{Header: http.Header{"Retry-After": {tt.retryAfter}}}, tt.attempt)
			if ok != (tt.most > 0) || d < tt.least || d > tt.most {
				t.Errorf("attempt %d, Retry-After %q, deadline %v: %v, %v; want %v to %v", tt.attempt, tt.retryAfter, tt.deadline, d, ok, tt.least, tt.most)
				break
			}
		}
	}
}
