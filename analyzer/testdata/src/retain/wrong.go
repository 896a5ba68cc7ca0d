package retain

import (
	"bufio"
	"container/list"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"
)

var (
	lastRequest *http.Request
	lastURL     *url.URL
	lastParams  muxmaster.Params
	someParams  []*muxmaster.Param
	lastParam   *muxmaster.Param
	lastBody    io.ReadCloser
	lastFunc    func() string
	history     []*http.Request
	byPath      = map[string]*http.Request{}
	current     atomic.Pointer[http.Request]
	anything    atomic.Value
	shared      sync.Map
	queue       = list.New()
	requests    = make(chan *http.Request)
	jobs        = make(chan job)
	work        = make(chan func(), 8)
	values      = make(chan string)
)

type job struct {
	r    *http.Request
	name string
	done chan struct{}
}

type server struct {
	last   *http.Request
	bodies []io.ReadCloser
	byID   map[string]job
	queue  chan *http.Request
	flight singleflight.Group
	wg     sync.WaitGroup
	nested struct{ url *url.URL }
}

func use(...any)          {}
func serve(*http.Request) {}

type session struct{ r *http.Request }

func lookup(id string) *session { return sessions[id] }

var sessions = map[string]*session{}

// Goroutines.

func goroutines(w http.ResponseWriter, r *http.Request) {
	go func() { // want `r can outlive the handler in this goroutine: copy the values it needs first`
		log.Print(r.RemoteAddr)
	}()
	go serve(r)                                    // want `r can outlive the handler in this goroutine`
	go r.ParseForm()                               // want `r can outlive the handler in this goroutine`
	go use(r.URL)                                  // want `r\.URL can outlive the handler in this goroutine: copy the URL first`
	go io.Copy(io.Discard, r.Body)                 // want `r\.Body can outlive the handler in this goroutine: read the body first`
	go json.NewDecoder(r.Body).Decode(&struct{}{}) // want `r\.Body can outlive`
	go newJob(r).run()                             // want `r can outlive`
	func() {
		go serve(r) // want `r can outlive`
	}()
	defer func() {
		go serve(r) // want `r can outlive`
	}()
	go func() { // want `r can outlive`
		q := r.Clone(context.Background())
		use(q)
	}()
}

func newJob(r *http.Request) *job { return &job{r: r} }

func (j *job) run() { use(j.r.URL.Path) }

func goParams(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	go func() { // want `ps can outlive the handler in this goroutine: clone the parameters first`
		use(ps.Get("id"))
	}()
	go use(ps[1:]) // want `ps\[\.\.\.\] can outlive`
	get, p := ps.Get, &ps[0]
	go func() { use(get("id")) }() // want `ps can outlive`
	go func() { use(p.Value) }()   // want `ps\[\.\.\.\] can outlive`
}

var literal = problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
	go serve(r) // want `r can outlive`
	return nil
})

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	go s.audit(r) // want `r can outlive`
}

func (s *server) audit(r *http.Request) { use(r.Host) }

// The router clears r, but not the copy that a middleware hands on.
func copyingMiddleware(next http.Handler) http.Handler {
	var last *http.Request
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.WithContext(context.Background())
		last = q // want `r outlives the handler in variable last`
		next.ServeHTTP(w, q)
		go func() { use(q) }()               // want `r can outlive`
		go func() { next.ServeHTTP(w, r) }() // want `r can outlive`
		use(last)
	})
}

// Values that contain the request.

func contained(w http.ResponseWriter, r *http.Request) {
	lines := bufio.NewScanner(http.MaxBytesReader(w, r.Body, 1<<20))
	go func() { // want `r\.Body can outlive`
		for lines.Scan() {
		}
	}()
	out, _ := http.NewRequest("POST", "http://127.0.0.1/", r.Body)
	go http.DefaultClient.Do(out) // want `r\.Body can outlive`
	alias := r
	go func() { use(alias) }() // want `r can outlive`
	shallow := new(http.Request)
	*shallow = *r
	go serve(shallow) // want `r can outlive`
	either := r
	if r.Method == "GET" {
		either = r.Clone(r.Context())
	}
	go serve(either) // want `r can outlive`
	j := &job{r: r, name: "x"}
	go j.run()                                                    // want `r can outlive`
	go use(map[string]any{"request": r})                          // want `r can outlive`
	go use(context.WithValue(context.Background(), "request", r)) // want `r can outlive`
	local := make(chan *http.Request, 1)
	local <- r
	go func() { serve(<-local) }() // want `r can outlive`
	var assigned *http.Request
	func() { assigned = r }()
	go serve(assigned) // want `r can outlive`
	list := append([]*http.Request(nil), r)
	list = append(list, nil)
	go use(list) // want `r can outlive`
}

// A goroutine in a called function.

func calls1(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	helper("x", r)
	outerHelper(ps)
	j := &job{r: r}
	j.start()
}

func helper(name string, req *http.Request) {
	go func() { // want `req can outlive the handler that calls this at wrong.go:\d+ in this goroutine: copy`
		use(name, req.Host)
	}()
}

func outerHelper(ps muxmaster.Params) { innerHelper(ps) }

func innerHelper(ps muxmaster.Params) {
	go use(ps) // want `ps can outlive`
}

func (j *job) start() {
	go j.run() // want `j\.r can outlive`
}

// Functions that run later.

func (s *server) runsLater(w http.ResponseWriter, r *http.Request) {
	time.AfterFunc(time.Second, func() { serve(r) })      // want `r can outlive the handler in the function given to time\.AfterFunc`
	context.AfterFunc(r.Context(), func() { use(r.URL) }) // want `r can outlive the handler in the function given to context\.AfterFunc`
	var g errgroup.Group
	g.Go(func() error { serve(r); return nil })                                         // want `r can outlive the handler in the function given to errgroup\.Group\.Go`
	s.wg.Go(func() { serve(r) })                                                        // want `r can outlive the handler in the function given to sync\.WaitGroup\.Go`
	result := s.flight.DoChan("key", func() (any, error) { serve(r); return nil, nil }) // want `r can outlive`
	select {
	case <-result:
	case <-r.Context().Done():
	}
}

// Channels.

func (s *server) send(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	requests <- r                       // want `r outlives the handler on a channel`
	jobs <- job{r: r}                   // want `r outlives the handler on a channel`
	work <- func() { use(r.Host) }      // want `r outlives the handler on a channel`
	work <- func() { use(ps[0].Value) } // want `ps outlives the handler on a channel`
	select {
	case s.queue <- r: // want `r outlives the handler on a channel`
	default:
	}
}

// Variables, fields, maps.

func global(w http.ResponseWriter, r *http.Request) {
	lastRequest = r               // want `r outlives the handler in package variable lastRequest`
	lastURL = r.URL               // want `r\.URL outlives the handler in package variable lastURL`
	lastBody = r.Body             // want `r\.Body outlives the handler in package variable lastBody`
	lastFunc = r.UserAgent        // want `r outlives the handler in package variable lastFunc`
	history = append(history, r)  // want `r outlives the handler in package variable history`
	history[0] = r                // want `r outlives the handler in an element of package variable history`
	byPath[r.URL.Path] = r        // want `r outlives the handler in a map`
	current.Store(r)              // want `r outlives the handler in the receiver of atomic\.Pointer\.Store`
	anything.Store(r)             // want `r outlives the handler in the receiver of atomic\.Value\.Store`
	shared.Store(r.RemoteAddr, r) // want `r outlives the handler in the receiver of sync\.Map\.Store`
	queue.PushBack(r)             // want `r outlives the handler in the receiver of list\.List\.PushBack`
	queue.InsertBefore(r, nil)    // want `r outlives the handler in the receiver of list\.List\.InsertBefore`
	sessions["x"].r = r           // want `r outlives the handler in field r`
	lookup("x").r = r             // want `r outlives the handler in field r`
}

func globalFast(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	lastParams = ps     // want `ps outlives the handler in package variable lastParams`
	lastParams = ps[1:] // want `ps\[\.\.\.\] outlives`
	lastParam = &ps[0]  // want `ps\[\.\.\.\] outlives`
	for i := range ps {
		someParams = append(someParams, &ps[i]) // want `ps\[\.\.\.\] outlives the handler in package variable someParams`
	}
}

func (s *server) field(w http.ResponseWriter, r *http.Request) {
	s.last = r                          // want `r outlives the handler in field last`
	s.nested.url = r.URL                // want `r\.URL outlives the handler in field url`
	s.bodies = append(s.bodies, r.Body) // want `r\.Body outlives the handler in field bodies`
	s.byID["x"] = job{r: r}             // want `r outlives the handler in a map`
	s.remember(r)
}

func (s *server) remember(req *http.Request) {
	s.last = req // want `req outlives the handler that calls this at wrong.go:\d+ in field last`
}

func captureServer(s *server) http.HandlerFunc {
	seen := make(map[*http.Request]bool)
	return func(w http.ResponseWriter, r *http.Request) {
		s.last = r     // want `r outlives the handler in field last`
		seen[r] = true // want `r outlives the handler in a map`
	}
}

// Waits that don't always happen.

func waitUnlessError(w http.ResponseWriter, r *http.Request) {
	var wg, other sync.WaitGroup
	wg.Go(func() { serve(r) }) // want `r can outlive`
	go func() {                // want `r can outlive`
		defer other.Done()
		serve(r)
	}()
	if r.ContentLength < 0 {
		return
	}
	wg.Wait()
}

func waitOrTimeout(w http.ResponseWriter, r *http.Request) {
	done, polled, started, answered := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() { defer close(done); serve(r) }()   // want `r can outlive`
	go func() { defer close(polled); serve(r) }() // want `r can outlive`
	go func() { close(started); serve(r) }()      // want `r can outlive`
	go early(started, r)                          // want `r can outlive`
	jobs <- job{r: r, done: answered}             // want `r outlives the handler on a channel`
	<-started
	select {
	case <-polled:
	default:
	}
	select {
	case <-done:
	case <-answered:
	case <-r.Context().Done():
	}
}

func early(done chan struct{}, r *http.Request) {
	close(done)
	serve(r)
}

func neverClosed(w http.ResponseWriter, r *http.Request) {
	c := &calls2{}
	c.start(func() { serve(r) })
	c.close()
}

// calls2 is like calls, but its close method doesn't wait.
type calls2 struct{ wg sync.WaitGroup }

func (c *calls2) start(fn func()) {
	c.wg.Add(1)
	go func() { // want `fn can outlive the handler that calls this at wrong.go:\d+ in this goroutine`
		defer c.wg.Done()
		fn()
	}()
}

func (c *calls2) close() {}

func stoppedSometimes(w http.ResponseWriter, r *http.Request) {
	var a, b slowLog
	defer b.stop()
	a.timer = time.AfterFunc(time.Second, func() { serve(r) }) // want `r can outlive`
	b.timer = time.NewTimer(time.Second)
	t := time.AfterFunc(time.Second, func() { serve(r) }) // want `r can outlive`
	if r.ContentLength > 0 {
		t.Stop()
	}
}
