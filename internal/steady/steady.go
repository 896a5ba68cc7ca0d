// Package steady runs tests whose outcome depends on time, also on a machine
// that is too busy for them.
package steady

import (
	"testing"
	"time"
)

// tick is how often Try checks whether the machine runs this process.
const tick = 5 * time.Millisecond

// failures is how often f must fail. The machine may stop one of this process's
// threads and run another, which Try doesn't see.
const failures = 3

// hung is the time after which f has failed if this process ran for most of it.
const hung = 10 * time.Second

// Try calls f until it succeeds, and fails t with its error after some failures.
// One doesn't count if this process was not run for longer than limit meanwhile.
// Try skips the test if that was so for a minute. But it fails t if f takes much
// longer than that explains.
func Try(t testing.TB, limit time.Duration, f func() error) {
	t.Helper()
	counted := 0
	for start := time.Now(); ; {
		began := time.Now()
		longest, all, err := watch(f)
		if longest <= limit {
			counted++
		}
		took := time.Since(began)
		switch {
		case err == nil:
			return
		case counted == failures, took > hung && all < took/2:
			t.Error(err)
			return
		case time.Since(start) > time.Minute:
			t.Skipf("the machine is too busy: it did not run this process for %v; %v", longest, err)
		}
	}
}

// watch calls f, and measures the longest time for which this process was not run
// meanwhile, and all of it.
func watch(f func() error) (longest, all time.Duration, err error) {
	done, measured := make(chan bool), make(chan bool)
	go func() {
		defer close(measured)
		for last, running := time.Now(), true; running; {
			select {
			case <-done:
				running = false
			case <-time.After(tick):
			}
			pause := max(0, time.Since(last)-tick)
			last, longest, all = time.Now(), max(longest, pause), all+pause
		}
	}()
	err = f()
	close(done)
	<-measured
	return longest, all, err
}

// Receive receives from ch, and fails t if nothing comes for a minute.
func Receive[T any](t testing.TB, what string, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(time.Minute):
		t.Fatalf("timeout: %s", what)
	}
	return v
}

// Until calls ok until it returns true, and fails t otherwise. The time in
// which the machine doesn't run this process doesn't count toward limit.
func Until(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for left := limit; !ok(); left -= tick {
		if left <= 0 {
			t.Fatalf("timeout after %v: %s", limit, what)
		}
		<-ticker.C // which drops what this goroutine missed
	}
}
