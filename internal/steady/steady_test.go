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

func TestUntilAndReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		Until(t, time.Minute, "it is later", func() bool { return time.Since(start) > 30*time.Second })
		came := make(chan bool, 1)
		came <- true
		Receive(t, "something came", came)
		for i, wait := range []func(t testing.TB){
			func(t testing.TB) { Until(t, time.Minute, "never", func() bool { return false }) },
			func(t testing.TB) { Receive(t, "nothing", came) },
		} {
			r := &report{TB: t}
			func() {
				defer func() { recover() }()
				wait(r)
			}()
			if took, least := time.Since(start), time.Duration(90+60*i)*time.Second; !r.failed || took < least {
				t.Errorf("failed %v after %v, want at least %v", r.failed, took, least)
			}
		}
	})
}
