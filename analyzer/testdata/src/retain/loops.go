package retain

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// Goroutines started in loops, and values read in loops.

func wrongLoops(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	for i := 0; i < 3; i++ {
		go use(i, r) // want `r can outlive`
	}
	for k, v := range map[string]*http.Request{"a": r} {
		go use(k, v) // want `r can outlive`
	}
	for _, q := range []*http.Request{r} {
		go serve(q) // want `r can outlive`
	}
	for i := range ps {
		p := &ps[i]
		go use(p) // want `ps\[\.\.\.\] can outlive`
	}
	for i := range slices.Values([]int{1}) {
		go func() { use(i, r) }() // want `r can outlive`
	}
	spawn(func() { use(ps) })
}

func spawn(fs ...func()) {
	for _, f := range fs {
		go f() // want `fs can outlive`
	}
}

func wrongReceived(w http.ResponseWriter, r *http.Request) {
	c := make(chan *http.Request, 1)
	go worker(c) // want `r can outlive`
	c <- r
	q, ok := <-c
	go use(q, ok) // want `r can outlive`
}

func worker(c chan *http.Request) {
	for r := range c {
		serve(r)
	}
}

func wrongWaitElsewhere(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	wg.Go(func() { serve(r) }) // want `r can outlive`
	done := make(chan struct{})
	go func() { close(done); wg.Wait() }()
	<-done
	finished := make(chan struct{})
	wg.Go(func() { serve(r) }) // want `r can outlive`
	go func() { wg.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(time.Second):
	}
}

// A copied receiver shares the objects it points to with the handler.

type byValue struct {
	*session
	last  *http.Request
	inner struct{ sessions map[string]*http.Request }
}

func (v byValue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.r = r                   // want `r outlives the handler in field r`
	v.inner.sessions["x"] = r // want `r outlives the handler in a map`
	v.last = r
	use(v.last)
	var local byValue
	local.inner.sessions = byPath
	local.inner.sessions["x"] = r // want `r outlives the handler in a map`
}

// Copies of slices, maps and contexts with requests in them.

func wrongCopies(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	local := []*http.Request{r}
	history = slices.Insert(history, 0, r)      // want `r outlives`
	history = slices.Concat(history, local)     // want `r outlives`
	history = slices.Clone(local)               // want `r outlives`
	lastParams = slices.Clip(ps)                // want `ps outlives`
	copy(history, local)                        // want `r outlives the handler in the destination of a copy`
	maps.Copy(byPath, map[string]*http.Request{ // want `r outlives the handler in the destination of a copy`
		"x": r,
	})
	one, more := make([]*http.Request, 1), make([]*http.Request, len(ps))
	one[0] = r
	go use(one) // want `r can outlive`
	copy(more, one)
	go use(more)                // want `r can outlive`
	go use(slices.Backward(ps)) // want `ps can outlive`
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), "r", r), time.Second)
	defer cancel()
	go use(context.WithValue(ctx, "x", 1)) // want `r can outlive`
}

func rightCopies(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	lastParams = slices.Concat(ps)
	lastParams = slices.Insert(lastParams, 0, ps...)
	copy(lastParams, ps)
	first := make(muxmaster.Params, 1)
	copy(first, ps)
	go use(first, slices.Collect(slices.Values(ps)))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Second)
	go func() { defer cancel(); use(ctx) }()
}

func rightLoops(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	for i := range slices.Values([]int{1, 2}) {
		wg.Go(func() { use(i, r) })
	}
	wg.Wait()
	limit := make(chan struct{}, 4)
	for i := range 10 {
		limit <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-limit; wg.Done() }()
			use(i, r)
		}()
	}
	wg.Wait()
}

func rightWaitElsewhere(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	wg.Go(func() { serve(r) })
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	<-done
	results := make(chan string)
	for range 2 {
		wg.Go(func() {
			if r.ContentLength > 0 {
				results <- r.Host
			}
		})
	}
	go closeAfter(&wg, results)
	for v := range results {
		fmt.Fprintln(w, v)
	}
}

func closeAfter(wg *sync.WaitGroup, c chan string) {
	defer close(c)
	wg.Wait()
}
