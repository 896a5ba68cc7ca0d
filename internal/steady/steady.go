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

// Try calls f until it succeeds, and fails t with its error after some failures.
// One doesn't count if this process was not run for longer than limit meanwhile.
// Try skips the test if that was so for a minute.
func Try(t testing.TB, limit time.Duration, f func() error) {
	t.Helper()
	counted := 0
	for start := time.Now(); ; {
		longest, err := watch(f)
		if longest <= limit {
			counted++
		}
		switch {
		case err == nil:
			return
		case counted == failures:
			t.Error(err)
			return
		case time.Since(start) > time.Minute:
			t.Skipf("the machine is too busy: it did not run this process for %v; %v", longest, err)
		}
	}
}

// watch calls f, and measures the longest time for which this process was not
// run meanwhile.
func watch(f func() error) (longest time.Duration, err error) {
	done, measured := make(chan bool), make(chan time.Duration)
	go func() {
		var longest time.Duration
		for last := time.Now(); ; {
			select {
			case <-done:
				measured <- max(longest, time.Since(last)-tick)
				return
			case <-time.After(tick):
			}
			now := time.Now()
			longest = max(longest, now.Sub(last)-tick)
			last = now
		}
	}()
	err = f()
	close(done)
	return <-measured, err
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
