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

func use(...any)               {}
func serve(*http.Request)      {}
func lookup(s string) *session { return sessions[s] }

type session struct{ r *http.Request }

var sessions = map[string]*session{}

// Goroutines.

func goLiteral(w http.ResponseWriter, r *http.Request) {
	go func() { // want `r can outlive the handler in this goroutine: copy the values it needs first`
		log.Print(r.RemoteAddr)
	}()
}

func goArgument(w http.ResponseWriter, r *http.Request) {
	go serve(r) // want `r can outlive the handler in this goroutine`
}

func goMethodOfRequest(w http.ResponseWriter, r *http.Request) {
	go r.ParseForm() // want `r can outlive the handler in this goroutine`
}

func goURL(w http.ResponseWriter, r *http.Request) {
	go use(r.URL) // want `r\.URL can outlive the handler in this goroutine: copy the URL first`
}

func goBody(w http.ResponseWriter, r *http.Request) {
	go io.Copy(io.Discard, r.Body) // want `r\.Body can outlive the handler in this goroutine: read the body first`
}

func goReaderOfBody(w http.ResponseWriter, r *http.Request) {
	lines := bufio.NewScanner(http.MaxBytesReader(w, r.Body, 1<<20))
	go func() { // want `r\.Body can outlive`
		for lines.Scan() {
		}
	}()
}

func goDecoder(w http.ResponseWriter, r *http.Request) {
	go json.NewDecoder(r.Body).Decode(&struct{}{}) // want `r\.Body can outlive`
}

func goForward(w http.ResponseWriter, r *http.Request) {
	out, _ := http.NewRequest("POST", "http://127.0.0.1/", r.Body)
	go http.DefaultClient.Do(out) // want `r\.Body can outlive`
}

func goParams(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	go func() { // want `ps can outlive the handler in this goroutine: clone the parameters first`
		use(ps.Get("id"))
	}()
}

func goRestOfParams(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	go use(ps[1:]) // want `ps\[\.\.\.\] can outlive`
}

func goMethodValue(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	get := ps.Get
	go func() { // want `ps can outlive`
		use(get("id"))
	}()
}

func goElement(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	p := &ps[0]
	go func() { // want `ps\[\.\.\.\] can outlive`
		use(p.Value)
	}()
}

func goError(w http.ResponseWriter, r *http.Request) error {
	go func() { // want `r can outlive`
		use(r.PathValue("id"))
	}()
	return nil
}

var literal = problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
	go serve(r) // want `r can outlive`
	return nil
})

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	go s.audit(r) // want `r can outlive`
}

func (s *server) audit(r *http.Request) { use(r.Host) }

func middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() { // want `r can outlive`
			next.ServeHTTP(w, r)
		}()
	})
}

// The router clears r, but not the copy that a middleware hands on.
func copyingMiddleware(next http.Handler) http.Handler {
	var last *http.Request
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.WithContext(context.Background())
		last = q // want `r outlives the handler in variable last`
		next.ServeHTTP(w, q)
		go func() { use(q) }() // want `r can outlive`
		use(last)
	})
}

func goAlias(w http.ResponseWriter, r *http.Request) {
	q := r
	go func() { use(q) }() // want `r can outlive`
}

func goShallowCopy(w http.ResponseWriter, r *http.Request) {
	q := r.WithContext(context.Background())
	go serve(q) // want `r can outlive`
}

func goShallowStruct(w http.ResponseWriter, r *http.Request) {
	q := new(http.Request)
	*q = *r
	go serve(q) // want `r can outlive`
}

func goEitherWay(w http.ResponseWriter, r *http.Request) {
	q := r
	if r.Method == "GET" {
		q = r.Clone(r.Context())
	}
	go serve(q) // want `r can outlive`
}

func goStruct(w http.ResponseWriter, r *http.Request) {
	j := &job{r: r, name: "x"}
	go j.run() // want `r can outlive`
}

func (j *job) run() { use(j.r.URL.Path) }

func goMap(w http.ResponseWriter, r *http.Request) {
	m := map[string]any{"request": r}
	go use(m) // want `r can outlive`
}

func goContext(w http.ResponseWriter, r *http.Request) {
	ctx := context.WithValue(context.Background(), "request", r)
	go use(ctx) // want `r can outlive`
}

func goLateClone(w http.ResponseWriter, r *http.Request) {
	go func() { // want `r can outlive`
		q := r.Clone(context.Background())
		use(q)
	}()
}

func goNested(w http.ResponseWriter, r *http.Request) {
	func() {
		go serve(r) // want `r can outlive`
	}()
}

func goDeferred(w http.ResponseWriter, r *http.Request) {
	defer func() {
		go serve(r) // want `r can outlive`
	}()
}

func goLocalChannel(w http.ResponseWriter, r *http.Request) {
	local := make(chan *http.Request, 1)
	local <- r
	go func() { // want `r can outlive`
		serve(<-local)
	}()
}

// A goroutine in a called function.

func callsHelper(w http.ResponseWriter, r *http.Request) { helper("x", r) }

func helper(name string, req *http.Request) {
	go func() { // want `req can outlive the handler that calls this at wrong.go:\d+ in this goroutine: copy`
		use(name, req.Host)
	}()
}

func callsTwice(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) { outerHelper(ps) }

func outerHelper(ps muxmaster.Params) { innerHelper(ps) }

func innerHelper(ps muxmaster.Params) {
	go use(ps) // want `ps can outlive`
}

func callsConstructor(w http.ResponseWriter, r *http.Request) {
	go newJob(r).run() // want `r can outlive`
}

func newJob(r *http.Request) *job { return &job{r: r} }

func callsMethod(w http.ResponseWriter, r *http.Request) {
	j := &job{r: r}
	j.start()
}

func (j *job) start() {
	go j.run() // want `j\.r can outlive`
}

// Functions that run later.

func afterFunc(w http.ResponseWriter, r *http.Request) {
	time.AfterFunc(time.Second, func() { serve(r) }) // want `r can outlive the handler in the function given to time\.AfterFunc`
}

func afterFuncMethodValue(w http.ResponseWriter, r *http.Request) {
	time.AfterFunc(time.Second, func() { r.Body.Close() }) // want `r can outlive`
}

func contextAfterFunc(w http.ResponseWriter, r *http.Request) {
	context.AfterFunc(r.Context(), func() { use(r.URL) }) // want `r can outlive the handler in the function given to context\.AfterFunc`
}

func errgroupGo(w http.ResponseWriter, r *http.Request) {
	var g errgroup.Group
	g.Go(func() error { serve(r); return nil }) // want `r can outlive the handler in the function given to errgroup\.Group\.Go`
}

func (s *server) waitGroupGo(w http.ResponseWriter, r *http.Request) {
	s.wg.Go(func() { serve(r) }) // want `r can outlive the handler in the function given to sync\.WaitGroup\.Go`
}

func (s *server) doChan(w http.ResponseWriter, r *http.Request) {
	result := s.flight.DoChan("key", func() (any, error) { serve(r); return nil, nil }) // want `r can outlive`
	select {
	case <-result:
	case <-r.Context().Done():
	}
}

// Channels.

func send(w http.ResponseWriter, r *http.Request) {
	requests <- r // want `r outlives the handler on a channel`
}

func sendInStruct(w http.ResponseWriter, r *http.Request) {
	jobs <- job{r: r} // want `r outlives the handler on a channel`
}

func sendClosure(w http.ResponseWriter, r *http.Request) {
	work <- func() { use(r.Host) } // want `r outlives the handler on a channel`
}

func (s *server) sendSelect(w http.ResponseWriter, r *http.Request) {
	select {
	case s.queue <- r: // want `r outlives the handler on a channel`
	default:
	}
}

func sendParams(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	work <- func() { use(ps[0].Value) } // want `ps outlives the handler on a channel`
}

// Variables, fields, maps.

func global(w http.ResponseWriter, r *http.Request) {
	lastRequest = r        // want `r outlives the handler in package variable lastRequest`
	lastURL = r.URL        // want `r\.URL outlives the handler in package variable lastURL`
	lastBody = r.Body      // want `r\.Body outlives the handler in package variable lastBody`
	lastFunc = r.UserAgent // want `r outlives the handler in package variable lastFunc`
}

func globalFast(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	lastParams = ps     // want `ps outlives the handler in package variable lastParams`
	lastParams = ps[1:] // want `ps\[\.\.\.\] outlives`
	lastParam = &ps[0]  // want `ps\[\.\.\.\] outlives`
}

func globalAppend(w http.ResponseWriter, r *http.Request) {
	history = append(history, r) // want `r outlives the handler in package variable history`
}

func globalMap(w http.ResponseWriter, r *http.Request) {
	byPath[r.URL.Path] = r // want `r outlives the handler in a map`
}

func globalElement(w http.ResponseWriter, r *http.Request) {
	history[0] = r // want `r outlives the handler in an element of package variable history`
}

func globalAtomic(w http.ResponseWriter, r *http.Request) {
	current.Store(r)              // want `r outlives the handler in the receiver of atomic\.Pointer\.Store`
	anything.Store(r)             // want `r outlives the handler in the receiver of atomic\.Value\.Store`
	shared.Store(r.RemoteAddr, r) // want `r outlives the handler in the receiver of sync\.Map\.Store`
	queue.PushBack(r)             // want `r outlives the handler in the receiver of list\.List\.PushBack`
}

func (s *server) field(w http.ResponseWriter, r *http.Request) {
	s.last = r                          // want `r outlives the handler in field last`
	s.nested.url = r.URL                // want `r\.URL outlives the handler in field url`
	s.bodies = append(s.bodies, r.Body) // want `r\.Body outlives the handler in field bodies`
	s.byID["x"] = job{r: r}             // want `r outlives the handler in a map`
}

func (s *server) fieldByMethod(w http.ResponseWriter, r *http.Request) { s.remember(r) }

func (s *server) remember(req *http.Request) {
	s.last = req // want `req outlives the handler that calls this at wrong.go:\d+ in field last`
}

func fieldOfSession(w http.ResponseWriter, r *http.Request) {
	sessions["x"].r = r // want `r outlives the handler in field r`
}

func capture() (http.Handler, func() *http.Request) {
	var last *http.Request
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last = r // want `r outlives the handler in variable last`
	})
	return h, func() *http.Request { return last }
}

func captureServer(s *server) http.HandlerFunc {
	seen := make(map[*http.Request]bool)
	return func(w http.ResponseWriter, r *http.Request) {
		s.last = r     // want `r outlives the handler in field last`
		seen[r] = true // want `r outlives the handler in a map`
	}
}

// Waits that don't always happen.

func waitOrTimeout(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	go func() { // want `r can outlive`
		defer close(done)
		serve(r)
	}()
	select {
	case <-done:
	case <-r.Context().Done():
	}
}

func waitUnlessError(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { // want `r can outlive`
		defer wg.Done()
		serve(r)
	}()
	if r.ContentLength < 0 {
		return
	}
	wg.Wait()
}

func waitForAnother(w http.ResponseWriter, r *http.Request) {
	var wg, other sync.WaitGroup
	wg.Add(1)
	go func() { // want `r can outlive`
		defer wg.Done()
		serve(r)
	}()
	other.Wait()
}

func signalTooEarly(w http.ResponseWriter, r *http.Request) {
	started := make(chan struct{})
	go func() { // want `r can outlive`
		close(started)
		serve(r)
	}()
	<-started
}

func (s *server) sendWithoutWait(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	jobs <- job{r: r, done: done} // want `r outlives the handler on a channel`
	select {
	case <-done:
	case <-time.After(time.Second):
	}
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
	t := time.AfterFunc(time.Second, func() { serve(r) }) // want `r can outlive`
	if r.ContentLength > 0 {
		t.Stop()
	}
}

func stoppedOther(w http.ResponseWriter, r *http.Request) {
	var a, b slowLog
	defer b.stop()
	a.timer = time.AfterFunc(time.Second, func() { serve(r) }) // want `r can outlive`
	b.timer = time.NewTimer(time.Second)
}

func pollsOnce(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	go func() { defer close(done); serve(r) }() // want `r can outlive`
	select {
	case <-done:
	default:
	}
}

func assignedInLiteral(w http.ResponseWriter, r *http.Request) {
	var q *http.Request
	func() { q = r }()
	go serve(q) // want `r can outlive`
}

func appended(w http.ResponseWriter, r *http.Request) {
	list := append([]*http.Request(nil), r)
	list = append(list, nil)
	go use(list) // want `r can outlive`
}

func (s *server) otherCondition(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	if async(s.byID) {
		go func() { defer close(done); serve(r) }() // want `r can outlive`
	}
	if !async(s.byID) {
		<-done
	}
}

func stoppedLater(w http.ResponseWriter, r *http.Request) {
	stop, buffered := make(chan int), make(chan int, 1)
	go untilStopped(r, buffered) // want `r can outlive`
	buffered <- 1
	go func() { // want `r can outlive`
		<-stop
		serve(r)
	}()
	stop <- 1
	go untilStopped(r, stop) // want `r can outlive`
	close(stop)
}
