package steady

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A report is a testing.TB that records a failure.
type report struct {
	testing.TB
	failed bool
}

func (r *report) Helper()               {}
func (r *report) Error(...any)          { r.failed = true }
func (r *report) Fatalf(string, ...any) { r.failed = true; panic(r) }

func TestTry(t *testing.T) {
	failure := errors.New("failure")
	for _, c := range []struct {
		name   string
		limit  time.Duration
		errs   []error // of the calls of f
		takes  time.Duration
		calls  int
		failed bool
	}{
		{"success", time.Hour, []error{nil}, 0, 1, false},
		{"failures on a machine that isn't busy", time.Hour, []error{failure, failure, failure, nil}, 0, 3, true},
		{"failure of a thread that the machine stopped", time.Hour, []error{failure, failure, nil}, 0, 3, false},
		{"failure on a busy machine", -time.Hour, []error{failure, failure, failure, nil}, 0, 4, false},
		{"hanging on a busy machine", -time.Hour, []error{failure, nil}, hung + time.Second, 1, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, calls := &report{TB: t}, 0
			Try(r, c.limit, func() error { calls++; time.Sleep(c.takes); return c.errs[calls-1] })
			if calls != c.calls || r.failed != c.failed {
				t.Errorf("%s: %d calls, failed %v; want %d, %v", c.name, calls, r.failed, c.calls, c.failed)
			}
		})
	}
}

func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		Until(t, time.Minute, "it is later", func() bool { return time.Since(start) > 30*time.Second })
		r := &report{TB: t}
		func() {
			defer func() { recover() }()
			Until(r, time.Minute, "never", func() bool { return false })
		}()
		if took := time.Since(start); !r.failed || took < 90*time.Second {
			t.Errorf("failed %v after %v", r.failed, took)
		}
	})
}
