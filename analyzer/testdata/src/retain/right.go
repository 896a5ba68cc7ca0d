package retain

import (
	"bytes"
	"context"
	"io"
	"log"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"golang.org/x/sync/errgroup"
)

// Values without a pointer into the request, and copies.

func rightValues(w http.ResponseWriter, r *http.Request) {
	id, remote, agent, path := muxmaster.PathParam(r, "id"), r.RemoteAddr, r.UserAgent(), r.URL.Path
	query, form, ctx := r.URL.Query(), maps.Clone(r.Form), r.Context()
	body, _ := io.ReadAll(r.Body)
	go func() {
		log.Print(id, remote, agent, path, query.Get("q"), form, body)
		<-ctx.Done()
	}()
	values <- r.Host
	go io.Copy(io.Discard, bytes.NewReader(body))
	go use(r.Context(), context.WithoutCancel(ctx), r.Header.Clone(), r.Header, r.Header.Get("X-Correlation-Id"))
	u := *r.URL
	go use(&u)
	target := new(url.URL)
	*target = *r.URL
	lastURL = target
	shallow := *r
	go func() { use(shallow.Method) }()
	host := ""
	func() { host = r.Host }()
	go use(host)
	j := &job{r: r, name: r.PathValue("name")}
	go func() { func() { use(j.name) }() }()
	go use(j.name)
	go j.greet()
	use(j)
}

func (j *job) greet() { use("hello " + j.name) }

func rightClone(w http.ResponseWriter, r *http.Request) {
	q := r.Clone(context.WithoutCancel(r.Context()))
	go func(r *http.Request) { serve(r) }(q)
	requests <- r.Clone(context.Background())
	lastRequest = q
	r = r.Clone(context.Background())
	go func() { serve(r) }()
}

func rightParams(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	psCopy := make(muxmaster.Params, len(ps))
	copy(psCopy, ps)
	go func() { use(psCopy.Get("id")) }()
	lastParams = append(muxmaster.Params(nil), ps...)
	lastParams = append(ps[:0:0], ps...)
	first := ps[0]
	go use(first, ps[1].Value)
	lastParam = &first
	values <- ps.Get("id")
	ps = slices.Clone(ps)
	go func() { use(ps) }()
}

// Goroutines that the handler waits for.

func rightWaitGroup(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { use(ps) })
	wg := &sync.WaitGroup{}
	for range 3 {
		wg.Add(1)
		go part(wg, r)
	}
	start := func(name string) {
		wg.Add(1)
		go func() { defer wg.Done(); use(name, r) }()
	}
	start("a")
	startPart(wg, r)
	wg.Wait()
}

func part(wg *sync.WaitGroup, r *http.Request) {
	defer wg.Done()
	serve(r)
}

func startPart(wg *sync.WaitGroup, r *http.Request) { go part(wg, r) }

func rightErrgroup(w http.ResponseWriter, r *http.Request) error {
	g, ctx := errgroup.WithContext(r.Context())
	g.Go(func() error { use(ctx, r.URL); return nil })
	return g.Wait()
}

func rightReceive(w http.ResponseWriter, r *http.Request) {
	lines, parsed, done, called, answered := make(chan string), make(chan error, 1), make(chan int), make(chan int), make(chan struct{})
	defer func() { <-called }()
	time.AfterFunc(0, func() { defer close(called); serve(r) })
	go func() { parsed <- r.ParseForm() }()
	if err := <-parsed; err != nil {
		return
	}
	for range 3 {
		go func() { serve(r); done <- 1 }()
	}
	for range 3 {
		<-done
	}
	go func() {
		defer close(lines)
		for _, v := range r.Header["X"] {
			lines <- v
		}
	}()
	for l := range lines {
		use(l)
	}
	jobs <- job{r: r, done: answered}
	<-answered
}

func rightSelect(w http.ResponseWriter, r *http.Request) {
	done, last := make(chan struct{}), make(chan struct{})
	go func() { defer close(done); serve(r) }()
	go func() { defer close(last); serve(r) }()
	select {
	case <-done:
	case <-time.After(time.Second):
		<-done
	}
	tick := time.NewTicker(time.Second)
	for {
		select {
		case <-tick.C:
			use("tick")
		case <-last:
			return
		}
	}
}

// Timers that the handler stops.

func rightStopped(w http.ResponseWriter, r *http.Request) {
	t := time.AfterFunc(time.Second, func() { log.Print("slow: ", r.URL.Path) })
	defer t.Stop()
	stop := context.AfterFunc(r.Context(), func() { r.Body.Close() })
	defer stop()
	l := &slowLog{}
	l.start(r)
	defer l.stop()
	var started *time.Timer
	if d := time.Duration(r.ContentLength); d > 0 {
		started = time.AfterFunc(d, func() { log.Print("slow: ", r.URL.Path) })
	}
	use(r.Host)
	if started != nil {
		started.Stop()
	}
}

type slowLog struct{ timer *time.Timer }

func (l *slowLog) start(r *http.Request) {
	l.timer = time.AfterFunc(time.Second, func() { log.Print("slow: ", r.URL.Path) })
}

func (l *slowLog) stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// Objects of the request, and values that are removed again.

type call struct {
	w      http.ResponseWriter
	r      *http.Request
	params muxmaster.Params
}

func (c *call) reset(w http.ResponseWriter, r *http.Request) {
	c.w = w
	c.r = r
}

type recorder struct {
	http.ResponseWriter
	r *http.Request
}

type step struct{ r *http.Request }

func (s *step) handle(w http.ResponseWriter, r *http.Request) { s.r = r }

func (s *server) rightObjects(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	c := &call{w, r, ps}
	c.params = ps
	all := []*http.Request{r}
	all = append(all, r.WithContext(context.Background()))
	byName := map[string]*http.Request{"r": r}
	byName["again"] = r
	local := make(chan *http.Request, 1)
	local <- r
	if rec, ok := w.(*recorder); ok {
		rec.r = r
	}
	new(step).handle(w, r)
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	var found *http.Request
	func() { found = r }()
	slices.SortFunc(history, func(a, b *http.Request) int { use(r); return 0 })
	use(c, all, byName, <-local, found)
	s.last = r
	defer func() { s.last = nil }()
	byPath[r.URL.Path] = r
	defer delete(byPath, r.URL.Path)
	shared.Store("now", r)
	defer shared.Delete("now")
}

func (s *server) begin(r *http.Request) (end func()) {
	shared.Store("begun", r)
	s.byID["x"] = job{r: r}
	return func() {
		shared.Delete("begun")
		delete(s.byID, "x")
	}
}

func (s *server) rightBegun(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > 0 {
		end := s.begin(r)
		defer end()
	}
}

func rightMiddleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.WithContext(context.WithValue(r.Context(), "url", r.URL))
		next.ServeHTTP(w, q)
		use(q.PathValue("id"))
	})
}

// Not a handler: a round tripper's request is its caller's.
type transport struct{ last *http.Request }

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.last = r
	go serve(r)
	return nil, nil
}

// An adapter creates a handler for one request of a framework.
type frameworkContext struct {
	w http.ResponseWriter
	r *http.Request
}

func rightAdapter(mw func(http.Handler) http.Handler, rest func(*frameworkContext)) func(*frameworkContext) {
	return func(c *frameworkContext) {
		served := false
		var seen *http.Request
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.r = r
			served, seen = true, r
			rest(c)
		})
		mw(h).ServeHTTP(c.w, c.r)
		use(served, seen)
	}
}

// A group of goroutines that its close method waits for.
type calls struct {
	name string
	wg   sync.WaitGroup
}

func (c *calls) start(fn func()) {
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		fn()
	}()
}

func (c *calls) close() { c.wg.Wait() }

func rightClosed(w http.ResponseWriter, r *http.Request) {
	c := &calls{name: "x"}
	defer c.close()
	c.start(func() { serve(r) })
	closedHere := &calls{name: "y"}
	closedHere.both(r)
	closedHere.close()
}

func (c *calls) both(r *http.Request) {
	c.start(func() { serve(r) })
	c.start(func() { use(r.URL) })
}
