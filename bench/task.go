package bench

import (
	"fmt"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// Loaded is a contender's router with a scenario's routes.
type Loaded struct {
	requests []Request
	handler  http.Handler
	dirties  bool // it leaves values in the request
}

// Load builds the contender's router for the scenario. The error is what the
// router panicked with when it refused the routes.
func Load(c contender.Contender, s Scenario) (l Loaded, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s refuses the routes: %v", c.Name, p)
		}
	}()
	l.requests = s.Requests
	l.handler, l.dirties = c.Load(s.Spec), c.DirtiesRequest
	return l, nil
}

// Handler returns the loaded router.
func (l Loaded) Handler() http.Handler { return l.handler }

// Task returns a task that serves every request of the scenario once. For a
// router that compares each request with thousands of routes in turn, it serves
// only the first requests; lists that long are in random order.
func (l Loaded) Task() measure.Task {
	const limit, enough = 500 * time.Millisecond, 100 * time.Millisecond
	run, requests := runner(l.handler, l.dirties), l.requests
	if len(requests) > wholeProof {
		for _, sample := range []int{10, 100} {
			run(1, requests[:sample]) // to warm up
			start := time.Now()
			run(1, requests[:sample])
			if each := time.Since(start) / time.Duration(sample); each*time.Duration(len(requests)) > limit {
				requests = requests[:max(sample, int(enough/each))]
				break
			}
		}
	}
	return measure.Task{Run: func(times int) { run(times, requests) }, Ops: len(requests)}
}

// Spread returns a task that serves on that many goroutines at once.
func (l Loaded) Spread(goroutines int) measure.Task {
	var tasks []measure.Task
	for range goroutines {
		tasks = append(tasks, l.Task())
	}
	return measure.Spread(tasks)
}

// Fresh returns a task that serves every request of the scenario once, each
// with an *http.Request of its own, as a server does. Making the requests isn't
// timed.
func (l Loaded) Fresh() measure.Task {
	w := NewWriter()
	const batch = 64
	return measure.Batches(len(l.requests), batch,
		func(i int) *http.Request { return newRequest(l.requests[i]) },
		func(r *http.Request) { l.handler.ServeHTTP(w, r) })
}

// newRequest makes a request as net/http's server would.
func newRequest(r Request) *http.Request {
	req, err := http.NewRequest(r.Method, "http://example.com"+r.Path, nil)
	if err != nil {
		panic(err)
	}
	req.RequestURI = r.Path
	req.RemoteAddr = "192.0.2.1:1234"
	return req
}

// runner serves the requests with one *http.Request, whose method and path it
// changes, like the public suite.
func runner(h http.Handler, fresh bool) func(times int, requests []Request) {
	r := newRequest(Request{Method: http.MethodGet, Path: "/"})
	clean := *r
	w := NewWriter()
	return func(times int, requests []Request) {
		for range times {
			for i := range requests {
				if fresh {
					*r = clean
				}
				r.Method = requests[i].Method
				r.RequestURI = requests[i].Path
				r.URL.Path = requests[i].Path
				h.ServeHTTP(w, r)
			}
		}
	}
}

// NewWriter returns a Writer with an empty header.
func NewWriter() *Writer { return &Writer{header: http.Header{}, Status: http.StatusOK} }

// Writer is a http.ResponseWriter that throws everything away but the status.
type Writer struct {
	header http.Header
	Status int
}

func (w *Writer) Header() http.Header               { return w.header }
func (w *Writer) WriteHeader(status int)            { w.Status = status }
func (w *Writer) Write(b []byte) (int, error)       { return len(b), nil }
func (w *Writer) WriteString(s string) (int, error) { return len(s), nil }
