package middleware_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

func ExampleIdempotencyKey() {
	once := middleware.IdempotencyKey(middleware.Idempotency{
		Store: middleware.NewMemoryStore(100 << 20),
		Scope: func(r *http.Request) string { user, _, _ := r.BasicAuth(); return user },
	})
	orders := 0
	h := once(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		orders++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintln(w, "order", orders)
	}))
	for range 2 {
		r := httptest.NewRequest("POST", "/orders", strings.NewReader(`{"item":7}`))
		r.Header.Set("Idempotency-Key", `"8e03978e-40d5-43dd-bc93-6894a57f9324"`)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Print(w.Code, " ", w.Header().Get("Idempotent-Replayed"), " ", w.Body)
	}
	// Output:
	// 201  order 1
	// 201 true order 1
}

// idempotent returns the middleware with small limits, one scope for each value
// of the header Client, and a Store of its own unless there is one.
func idempotent(o middleware.Idempotency) mw {
	if o.Store == nil {
		o.Store = middleware.NewMemoryStore(1 << 20)
	}
	o.Scope = func(r *http.Request) string { return r.Header.Get("Client") }
	o.MaxRequest, o.MaxResponse = 100, 100
	return middleware.IdempotencyKey(o)
}

// keyed returns a POST request with a key, unless that is empty.
func keyed(target, key, body string) *http.Request {
	r := httptest.NewRequest("POST", target, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return r
}

// TestIdempotencyKey sends requests to servers one after the other. Each row has
// the request, and the response, in which #n counts executions.
func TestIdempotencyKey(t *testing.T) {
	var executed atomic.Int32
	work := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := executed.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Set-Cookie", "secret=1")
		w.Header().Set("X-Made", string(body))
		w.Header().Set("X-Latin", "\xe9")
		switch r.URL.Path {
		case "/created":
			w.WriteHeader(http.StatusCreated)
		case "/empty":
			w.WriteHeader(http.StatusNoContent)
			return
		case "/busy":
			problem.Write(w, r, problem.Code(http.StatusServiceUnavailable))
			return
		case "/broken":
			problem.Write(w, r, io.ErrUnexpectedEOF)
			return
		case "/moved":
			http.Redirect(w, r, "/created", http.StatusTemporaryRedirect)
			return
		case "/panic":
			panic(http.ErrAbortHandler)
		case "/invalid":
			w.WriteHeader(1000)
		case "/large":
			for range 10 {
				fmt.Fprint(w, strings.Repeat("x", 50))
			}
			return
		case "/flush":
			if http.NewResponseController(w).Flush() == nil {
				t.Error("the response can be flushed")
			}
		}
		fmt.Fprintf(w, "#%d %s", n, body)
	})
	outer := around(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set("X-Outer", r.Header.Get("Idempotency-Key"))
		next.ServeHTTP(w, r)
	})
	for _, name := range protos {
		executed.Store(0)
		site, _ := start(t, name, chain(work, outer, idempotent(middleware.Idempotency{})))
		for _, row := range []struct{ request, body, want string }{
			{"POST / a", "1", "200 #1 1 | made 1, cookie"},
			{"POST / a", "1", "200 #1 1 | made 1, replayed"},
			{`POST / "a"`, "1", "200 #1 1 | made 1, replayed"},
			{"POST / a", "2", "422"},
			{"POST /?q a", "1", "422"},
			{"PATCH / a", "1", "422"},
			{"POST / a other", "1", "200 #2 1 | made 1, cookie"},
			{"POST / b", "1", "200 #3 1 | made 1, cookie"},
			{"POST / ", "1", "200 #4 1 | made 1, cookie"},
			{"POST / ", "1", "200 #5 1 | made 1, cookie"},
			{"PUT / a", "1", "200 #6 1 | made 1, cookie"},
			{"POST /created c", "1", "201 #7 1 | made 1, cookie"},
			{"POST /created c", "1", "201 #7 1 | made 1, replayed"},
			{"POST /empty d", "1", "204  | made 1, cookie"},
			{"POST /empty d", "1", "204  | made 1, replayed"},
			{"POST /broken e", "1", "500 Internal Server Error\n | made 1, cookie"},
			{"POST /broken e", "1", "500 Internal Server Error\n | made 1, replayed"},
			{"POST /busy f", "1", "503"},
			{"POST /busy f", "1", "503"}, // executed again
			{"POST / g", "1", "200 #12 1 | made 1, cookie"},
			{"POST /panic h", "1", ""}, // an error, or 500 if the client has repeated it
			{"POST /panic h", "1", "500"},
			{"POST /invalid m", "1", ""},
			{"POST /invalid m", "1", "500"},
			{"POST /large i", "1", "200 " + strings.Repeat("x", 500) + " | made 1, cookie"},
			{"POST /large i", "1", "409"},
			{"POST /flush j", "1", "200 #16 1 | made 1, cookie"},
			{"POST / k", strings.Repeat("x", 101), "413"},
			{"POST / " + strings.Repeat("k", 256), "1", "400"},
			{`POST / ""`, "1", "400"},
			{"POST / a,b", "1", "400"},
			{"POST / l", "1", "200 #17 1 | made 1, cookie"},
			{"POST /moved n", "1", "201 #19 1 | made 1, cookie"}, // the client sends it again
			{"POST /moved n", "1", "422"},                        // the key belongs to /created
		} {
			f := strings.SplitN(row.request+" ", " ", 4)
			r, _ := http.NewRequest(f[0], site.URL+f[1], strings.NewReader(row.body))
			if f[2] != "" {
				r.Header.Set("Idempotency-Key", f[2])
			}
			r.Header.Set("Client", strings.TrimSpace(f[3]))
			got := ""
			if resp, err := site.Client().Do(r); err != nil {
				got = err.Error()
			} else {
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				got = fmt.Sprintf("%d %s | made %s", resp.StatusCode, body, resp.Header.Get("X-Made"))
				if resp.Header.Get("Set-Cookie") != "" {
					got += ", cookie"
				}
				if resp.Header.Get("Idempotent-Replayed") != "" {
					got += ", replayed"
				}
				if resp.StatusCode < 300 && resp.Header.Get("X-Latin") != "\xe9" {
					got += ", with another header"
				}
				if resp.Header.Get("X-Outer") != f[2] {
					got += ", without the headers of outer middleware"
				}
			}
			if len(row.want) > 3 && got != row.want && !strings.Contains(got, row.want) || len(row.want) <= 3 && !strings.Contains(got, row.want) {
				t.Errorf("%s: %s: got %q, want %q", name, row.request, got, row.want)
			}
		}
	}
}

// A request that is repeated while it runs is executed once, also if the client
// has gone and asks again.
func TestIdempotencyKeyWhileRunning(t *testing.T) {
	for _, name := range protos {
		var executed atomic.Int32
		running, finish := make(chan bool, 1), make(chan bool)
		site, _ := start(t, name, idempotent(middleware.Idempotency{})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			executed.Add(1)
			running <- true
			<-finish
			if err := r.Context().Err(); err != nil {
				t.Errorf("%s: the context has ended: %v", name, err)
			}
			fmt.Fprint(w, "done")
		})))
		send := func(ctx context.Context) (int, error) {
			r, _ := http.NewRequestWithContext(ctx, "POST", site.URL, strings.NewReader("x"))
			r.Header.Set("Idempotency-Key", "key")
			resp, err := site.Client().Do(r)
			if err != nil {
				return 0, err
			}
			defer resp.Body.Close()
			if resp.StatusCode == 409 && resp.Header.Get("Retry-After") != "1" {
				t.Errorf("%s: no Retry-After", name)
			}
			return resp.StatusCode, nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := send(ctx); err == nil {
				t.Errorf("%s: the canceled request got a response", name)
			}
		})
		<-running
		var many sync.WaitGroup
		for range 10 {
			many.Go(func() {
				if status, err := send(t.Context()); status != 409 {
					t.Errorf("%s: got %d, %v while the request runs, want 409", name, status, err)
				}
			})
		}
		many.Wait()
		cancel()
		wg.Wait()
		close(finish)
		for status := 409; status == 409; {
			if status, _ = send(t.Context()); status != 200 && status != 409 {
				t.Errorf("%s: got %d afterwards, want 200", name, status)
			}
		}
		if n := executed.Load(); n != 1 {
			t.Errorf("%s: executed %d times, want once", name, n)
		}
	}
}

// A failingStore fails to Add or to Set.
type failingStore struct {
	middleware.IdempotencyStore
	add, set error
}

func (s failingStore) Add(ctx context.Context, key string, value []byte, ttl time.Duration) ([]byte, error) {
	if s.add != nil {
		return nil, s.add
	}
	return s.IdempotencyStore.Add(ctx, key, value, ttl)
}

func (s failingStore) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	if s.set != nil {
		return s.set
	}
	return s.IdempotencyStore.Set(ctx, key, value, ttl)
}

// TestIdempotencyLease: what remains of a request without a response ends with
// its lease, and a response after Keep.
func TestIdempotencyLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n, slow int
		store := middleware.NewMemoryStore(1 << 20)
		h := func(s middleware.IdempotencyStore) http.Handler {
			return idempotent(middleware.Idempotency{Store: s, Lease: time.Second, Keep: time.Hour, Required: true})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n++
				if r.URL.Path == "/slow" && slow == 0 {
					slow++
					<-r.Context().Done()
				}
				fmt.Fprint(w, n)
			}))
		}
		good := h(store)
		for i, row := range []struct {
			h         http.Handler
			path, key string
			pause     time.Duration
			want      string
		}{
			{good, "/", "", 0, "400 Bad Request\n"},
			{h(failingStore{store, io.ErrClosedPipe, nil}), "/", "a", 0, "503 Service Unavailable\n"},
			{h(failingStore{store, nil, io.ErrClosedPipe}), "/", "a", 0, "200 1"},
			{good, "/", "a", 0, "409 Conflict\n"},
			{good, "/", "a", time.Second, "200 2"},
			{good, "/", "a", time.Hour - 1, "200 2"},
			{good, "/", "a", 1, "200 3"},
			{good, "/slow", "b", 0, "200 4"}, // its lease ends
			{good, "/slow", "b", 0, "200 5"},
			{good, "/slow", "b", 0, "200 5"},
		} {
			time.Sleep(row.pause)
			w := serve(row.h, keyed(row.path, row.key, ""))
			if got := fmt.Sprint(w.Code, " ", w.Body); got != row.want {
				t.Errorf("row %d: got %q, want %q", i, got, row.want)
			}
		}
	})
}

// A leavingStore is one over a network, whose client disconnects while it waits
// for the result of Add.
type leavingStore struct {
	middleware.IdempotencyStore
	disconnect func()
}

func (s leavingStore) Add(ctx context.Context, key string, value []byte, ttl time.Duration) ([]byte, error) {
	existing, err := s.IdempotencyStore.Add(ctx, key, value, ttl)
	s.disconnect()
	return existing, cmp.Or(err, ctx.Err())
}

// TestIdempotencyDisconnect checks that a client that disconnects while its key is
// added doesn't leave the key without a response.
func TestIdempotencyDisconnect(t *testing.T) {
	ctx, disconnect := context.WithCancel(t.Context())
	h := idempotent(middleware.Idempotency{Store: leavingStore{middleware.NewMemoryStore(1 << 20), disconnect}})(text("done"))
	serve(h, keyed("/", "a", "").WithContext(ctx))
	if w := serve(h, keyed("/", "a", "")); w.Code != 200 || w.Body.String() != "done" {
		t.Errorf("a repeat got %d %s", w.Code, w.Body)
	}
}

// TestMemoryStoreTooLarge stores values that have no room: the others remain,
// so that no request is executed again because of them.
func TestMemoryStoreTooLarge(t *testing.T) {
	ctx, s := t.Context(), middleware.NewMemoryStore(1000)
	s.Add(ctx, "running", []byte("r"), time.Hour)
	s.Set(ctx, "done", []byte("d"), time.Hour)
	for _, key := range []string{"running", "done", "new"} {
		if err := s.Set(ctx, key, make([]byte, 1000), time.Hour); err == nil {
			t.Errorf("a store of 1000 bytes takes a value of 1000 bytes for %q", key)
		}
	}
	for key, want := range map[string]string{"running": "r", "done": "d"} {
		if old, err := s.Add(ctx, key, nil, time.Hour); string(old) != want {
			t.Errorf("%q: %q, %v; want %q", key, old, err, want)
		}
	}
}

// A slowStore answers Add a second after it has stored the value.
type slowStore struct{ middleware.IdempotencyStore }

func (s slowStore) Add(ctx context.Context, key string, value []byte, ttl time.Duration) ([]byte, error) {
	defer time.Sleep(time.Second)
	return s.IdempotencyStore.Add(ctx, key, value, ttl)
}

// TestIdempotencyLeaseOfSlowStore tests that the context of a request ends
// before the store gives its key to a repeat.
func TestIdempotencyLeaseOfSlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := middleware.IdempotencyKey(middleware.Idempotency{
			Store: slowStore{middleware.NewMemoryStore(1 << 20)},
			Scope: func(*http.Request) string { return "" },
			Lease: 10 * time.Second,
		})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if end, _ := r.Context().Deadline(); end.Sub(start) > 10*time.Second {
				t.Errorf("the context ends after %v, the lease after 10s", end.Sub(start))
			}
		}))
		serve(h, keyed("/", "k", ""))
	})
}

// TestIdempotencyErrorAfterResponse tests that an error that a handler returns
// after its response isn't added to that.
func TestIdempotencyErrorAfterResponse(t *testing.T) {
	h := idempotent(middleware.Idempotency{})(problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		io.WriteString(w, "created")
		return problem.Code(http.StatusInternalServerError)
	}))
	for range 2 { // the second one gets the kept response
		w := serve(h, keyed("/", "k", ""))
		if got := w.Body.String(); w.Code != 200 || got != "created" || w.Header().Get("X-Content-Type-Options") != "" {
			t.Errorf("%d %q %v; want 200 and the handler's response alone", w.Code, got, w.Header())
		}
	}
}

// TestIdempotencyKeyAndDeadlines: a request whose handler has exceeded a deadline
// isn't executed again, because it may have been executed.
func TestIdempotencyKeyAndDeadlines(t *testing.T) {
	silence(t)
	for name, h := range map[string]http.HandlerFunc{
		"without a response": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"with an error": problem.Handler(func(_ http.ResponseWriter, r *http.Request) error {
			<-r.Context().Done()
			return r.Context().Err()
		}),
		"with an error, in a writer without Unwrap": hide(problem.Handler(func(_ http.ResponseWriter, r *http.Request) error {
			<-r.Context().Done()
			return r.Context().Err()
		})).ServeHTTP,
	} {
		executed := 0
		once := chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			executed++
			h(w, r)
		}), idempotent(middleware.Idempotency{}), middleware.Timeout(time.Millisecond))
		for range 2 {
			if w := serve(once, keyed("/", "k", "")); w.Code != 503 {
				t.Errorf("%s: %d, want 503", name, w.Code)
			}
		}
		if executed != 1 {
			t.Errorf("%s: executed %d times, want once", name, executed)
		}
	}
}

// A full MemoryStore forgets the oldest responses, and no running request.
func TestMemoryStore(t *testing.T) {
	ctx, s := t.Context(), middleware.NewMemoryStore(1000)
	key := func(i int) string { return fmt.Sprint("k", i) }
	for i := range 100 {
		if _, err := s.Add(ctx, "running", []byte("r"), time.Hour); err != nil && i == 0 {
			t.Fatal(err)
		}
		if err := s.Set(ctx, key(i), make([]byte, 50), time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	has := func(key string) bool {
		old, err := s.Add(ctx, key, nil, time.Nanosecond)
		return old != nil && err == nil
	}
	if !has("running") || !has(key(99)) || has(key(0)) || has(key(90)) {
		t.Error("the running request or the newest response is gone, or the oldest are not")
	}
	var err error
	for i := 0; err == nil && i < 100; i++ {
		_, err = s.Add(ctx, key(1000+i), []byte("r"), time.Hour)
	}
	if err == nil || !has("running") {
		t.Errorf("a store full of running requests takes more: %v", err)
	}
	s.Delete(ctx, "running")
	if has("running") {
		t.Error("a deleted key is still there")
	}
}

// TestMemoryStoreFrees checks that a store keeps no memory of what it forgets.
func TestMemoryStoreFrees(t *testing.T) {
	ctx, s := t.Context(), middleware.NewMemoryStore(1000)
	value := make([]byte, 100)
	kept := weak.Make(&value[0])
	s.Set(ctx, "k", value, time.Hour)
	s.Delete(ctx, "k")
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the value of a deleted key is still reachable")
	}
	runtime.KeepAlive(s)
}

// TestIdempotencyKeyOtherRequest repeats a request with another prefix, which
// StripPrefix removes, for another host, at another port, and with another form
// or file, which outer middleware has read.
func TestIdempotencyKeyOtherRequest(t *testing.T) {
	h := idempotent(middleware.Idempotency{})(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, row := range []struct {
		target, form string
		want         int
	}{
		{"http://h/a/x", "n=1", 200}, {"http://h/a/x", "n=1", 200}, {"http://h/b/x", "n=1", 422}, {"http://other/a/x", "n=1", 422},
		{"http://H:8080/a/x", "n=1", 200}, {"http://h/a/x", "n=2", 422},
	} {
		r := keyed(row.target, "a", row.form)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.ParseForm()
		r.RequestURI = r.URL.Path
		if w := serve(http.StripPrefix(r.URL.Path[:2], h), r); w.Code != row.want {
			t.Errorf("%s, %s: %d, want %d", row.target, row.form, w.Code, row.want)
		}
	}
	for i, file := range []string{"one", "one", "two"} {
		r := keyed("/file", "file", "--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n"+file+"\r\n--b--\r\n")
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Fatal(err)
		}
		if w, want := serve(h, r), []int{200, 200, 422}[i]; w.Code != want {
			t.Errorf("%d. the file %s: %d, want %d", i, file, w.Code, want)
		}
	}
}
