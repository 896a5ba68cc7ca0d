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

// Values without a pointer into the request.

func rightStrings(w http.ResponseWriter, r *http.Request) {
	id := muxmaster.PathParam(r, "id")
	remote, agent, path := r.RemoteAddr, r.UserAgent(), r.URL.Path
	query := r.URL.Query()
	go func() {
		log.Print(id, remote, agent, path, query.Get("q"))
	}()
	values <- r.Host
}

func rightBody(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	go use(body)
	go io.Copy(io.Discard, bytes.NewReader(body))
}

func rightDecoded(w http.ResponseWriter, r *http.Request) {
	var v struct{ Name string }
	_ = r.ParseForm()
	form := maps.Clone(r.Form)
	go func() { use(v.Name, form) }()
}

func rightContext(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	go func() { <-ctx.Done() }()
	go use(r.Context())
	go use(context.WithoutCancel(ctx))
}

func rightHeader(w http.ResponseWriter, r *http.Request) {
	h := r.Header.Clone()
	go use(h, r.Header)
	go use(r.Header.Get("X-Correlation-Id"))
}

// Copies.

func rightClone(w http.ResponseWriter, r *http.Request) {
	q := r.Clone(context.WithoutCancel(r.Context()))
	go serve(q)
	requests <- r.Clone(context.Background())
	lastRequest = q
}

func rightCloneSameName(w http.ResponseWriter, r *http.Request) {
	r = r.Clone(context.Background())
	go func() { serve(r) }()
}

func rightCloneInGoroutine(w http.ResponseWriter, r *http.Request) {
	q := r.Clone(context.Background())
	go func(r *http.Request) { serve(r) }(q)
}

func rightURL(w http.ResponseWriter, r *http.Request) {
	u := *r.URL
	go use(&u)
	lastURL = &u
	target := new(url.URL)
	*target = *r.URL
	lastURL = target
}

func rightParams(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	psCopy := make(muxmaster.Params, len(ps))
	copy(psCopy, ps)
	go func() { use(psCopy.Get("id")) }()
	go use(slices.Clone(ps))
	lastParams = append(muxmaster.Params(nil), ps...)
	lastParams = append(ps[:0:0], ps...)
	first := ps[0]
	go use(first, ps[1].Value)
	lastParam = &first
	values <- ps.Get("id")
}

func rightParamsSameName(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	ps = slices.Clone(ps)
	go func() { use(ps) }()
}

func rightShallowString(w http.ResponseWriter, r *http.Request) {
	q := *r
	go func() { use(q.Method) }()
}

func rightFieldOfStruct(w http.ResponseWriter, r *http.Request) {
	j := &job{r: r, name: r.PathValue("name")}
	go func() { use(j.name) }()
	go use(j.name)
	go j.greet()
	use(j)
}

func (j *job) greet() { use("hello " + j.name) }

// Goroutines that the handler waits for.

func rightWaitGroup(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		serve(r)
	}()
	wg.Wait()
}

func rightWaitGroups(w http.ResponseWriter, r *http.Request) {
	wg := &sync.WaitGroup{}
	for range 3 {
		wg.Add(1)
		go part(wg, r)
	}
	wg.Wait()
}

func part(wg *sync.WaitGroup, r *http.Request) {
	defer wg.Done()
	serve(r)
}

func rightWaitGroupGo(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { use(ps) })
	wg.Go(func() { serve(r) })
}

func rightErrgroup(w http.ResponseWriter, r *http.Request) error {
	g, ctx := errgroup.WithContext(r.Context())
	g.Go(func() error { use(ctx, r.URL); return nil })
	return g.Wait()
}

func rightReceive(w http.ResponseWriter, r *http.Request) {
	done := make(chan error, 1)
	go func() { done <- r.ParseForm() }()
	if err := <-done; err != nil {
		http.Error(w, "bad form", http.StatusBadRequest)
	}
}

func rightReceiveAll(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	for range 3 {
		go func() { serve(r); done <- struct{}{} }()
	}
	for range 3 {
		<-done
	}
}

func rightRange(w http.ResponseWriter, r *http.Request) {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for _, v := range r.Header["X"] {
			lines <- v
		}
	}()
	for l := range lines {
		use(l)
	}
}

func rightSelect(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	go func() { defer close(done); serve(r) }()
	select {
	case <-done:
	case <-time.After(time.Second):
		<-done
	}
}

func rightSelectLoop(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	go func() { defer close(done); serve(r) }()
	tick := time.NewTicker(time.Second)
	for {
		select {
		case <-tick.C:
			use("tick")
		case <-done:
			return
		}
	}
}

func rightDeferredWait(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	defer func() { <-done }()
	go func() { defer close(done); serve(r) }()
	if r.ContentLength < 0 {
		return
	}
	use(r)
}

func rightWaitInHelper(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	startPart(&wg, r)
	wg.Wait()
}

func startPart(wg *sync.WaitGroup, r *http.Request) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		serve(r)
	}()
}

func rightLocalStart(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	start := func(name string) {
		wg.Add(1)
		go func() { defer wg.Done(); use(name, r) }()
	}
	start("a")
	start("b")
	wg.Wait()
}

func rightAnswered(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	jobs <- job{r: r, done: done}
	<-done
}

func rightStoppedTimer(w http.ResponseWriter, r *http.Request) {
	t := time.AfterFunc(time.Second, func() { log.Print("slow: ", r.URL.Path) })
	defer t.Stop()
	serve(r)
}

func rightStoppedAfterFunc(w http.ResponseWriter, r *http.Request) {
	stop := context.AfterFunc(r.Context(), func() { r.Body.Close() })
	defer stop()
	serve(r)
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

func rightStoppedField(w http.ResponseWriter, r *http.Request) {
	l := &slowLog{}
	l.start(r)
	defer l.stop()
	serve(r)
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

func rightObject(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	c := &call{w, r, ps}
	c.params = ps
	all := []*http.Request{r}
	all = append(all, r.WithContext(context.Background()))
	byName := map[string]*http.Request{"r": r}
	byName["again"] = r
	local := make(chan *http.Request, 1)
	local <- r
	use(c, all, byName, <-local)
}

type recorder struct {
	http.ResponseWriter
	r *http.Request
}

func rightWriter(w http.ResponseWriter, r *http.Request) {
	if rec, ok := w.(*recorder); ok {
		rec.r = r
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	serve(r)
}

type step struct{ r *http.Request }

func (s *step) handle(w http.ResponseWriter, r *http.Request) { s.r = r }

func rightReceiver(w http.ResponseWriter, r *http.Request) {
	s := &step{}
	s.handle(w, r)
}

func (s *server) rightCleared(w http.ResponseWriter, r *http.Request) {
	s.last = r
	defer func() { s.last = nil }()
	byPath[r.URL.Path] = r
	defer delete(byPath, r.URL.Path)
	shared.Store("now", r)
	defer shared.Delete("now")
	serve(r)
}

func rightCopyingMiddleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.WithContext(context.Background())
		next.ServeHTTP(w, q)
		use(q.PathValue("id"))
	})
}

func rightMiddleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), "url", r.URL)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func rightInPlace(w http.ResponseWriter, r *http.Request) {
	var found *http.Request
	func() { found = r }()
	slices.SortFunc(history, func(a, b *http.Request) int { use(r); return 0 })
	use(found)
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

func rightFlag(w http.ResponseWriter, r *http.Request) {
	var body io.Reader
	mine := false
	if r.ContentLength == 0 {
		body = http.NoBody
	} else {
		body, mine = r.Body, true
	}
	if mine {
		use(body)
	} else {
		go func() { use(body) }()
	}
}

func rightStoppedIfStarted(w http.ResponseWriter, r *http.Request) {
	var t *time.Timer
	if d := time.Duration(r.ContentLength); d > 0 {
		t = time.AfterFunc(d, func() { log.Print("slow: ", r.URL.Path) })
	}
	use(r.Host)
	if t != nil {
		t.Stop()
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
}

func rightClosedByCaller(w http.ResponseWriter, r *http.Request) {
	c := &calls{name: "y"}
	c.both(r)
	c.close()
}

func (c *calls) both(r *http.Request) {
	c.start(func() { serve(r) })
	c.start(func() { use(r.URL) })
}

func rightNestedLiteral(w http.ResponseWriter, r *http.Request) {
	j := &job{r: r, name: "x"}
	go func() {
		func() { use(j.name) }()
	}()
}

func rightSignalled(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	time.AfterFunc(0, func() { defer close(done); serve(r) })
	<-done
}

func rightAssignedInLiteral(w http.ResponseWriter, r *http.Request) {
	host := ""
	func() { host = r.Host }()
	go use(host)
}

func (s *server) rightSameCondition(w http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	if async(s.byID) {
		go func() { defer close(done); serve(r) }()
	}
	use(r.Host)
	if async(s.byID) {
		<-done
	}
}

func async(m map[string]job) bool { return len(m) > 3 }

func (s *server) rightSameFlag(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	if s.last != nil {
		wg.Go(func() { serve(r) })
	}
	if s.last != nil {
		wg.Wait()
	}
}

func rightStopped(w http.ResponseWriter, r *http.Request) {
	stop := make(chan int)
	go untilStopped(r, stop)
	use(r.Host)
	stop <- 1
}

func untilStopped(r *http.Request, stop <-chan int) {
	tick := time.NewTicker(time.Second)
	for {
		select {
		case <-stop:
			tick.Stop()
			return
		case <-tick.C:
			serve(r)
		}
	}
}
