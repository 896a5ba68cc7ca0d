package engine

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRetain retains requests of many connections and compares them with copies
// after many more requests. Without Recycle, they must not change.
func TestRetain(t *testing.T) {
	type kept struct {
		r, clone *http.Request
		url      url.URL
		header   http.Header
		w        http.Header
	}
	var mu sync.Mutex
	var all []kept
	addr := start(t, New(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X", r.RequestURI)
		mu.Lock()
		all = append(all, kept{r, r.Clone(r.Context()), *r.URL, r.Header, w.Header()})
		mu.Unlock()
	})}))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				talk(t, addr, fmt.Sprintf("GET /%d/%d?q HTTP/1.1\r\nHost: h%d\r\nX-A: %d\r\nX-New: %d\r\n\r\nGET /second HTTP/1.1\r\nHost: h\r\n\r\n", i, j, i, j, j))
			}
		})
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	for _, k := range all {
		if k.r.RequestURI != k.clone.RequestURI || *k.r.URL != k.url || k.r.Host != k.clone.Host ||
			fmt.Sprint(k.header) != fmt.Sprint(k.clone.Header) || k.w.Get("X") != k.clone.RequestURI {
			t.Fatalf("a retained request has changed:\n%v\n%v", k.r, k.clone)
		}
	}
	if len(all) != 8*20*2 {
		t.Errorf("%d requests, want %d", len(all), 8*20*2)
	}
}

// TestRecycleStrings retains strings, contexts and bodies of recycled requests.
func TestRecycleStrings(t *testing.T) {
	s := New(&http.Server{})
	s.Recycle = true
	type kept struct {
		uri, path, host, x string
		body               io.ReadCloser
	}
	var all []kept
	s.srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all = append(all, kept{r.RequestURI, r.URL.Path, r.Host, r.Header.Get("X"), r.Body})
	})
	addr := start(t, s)
	var in strings.Builder
	for i := range 50 {
		fmt.Fprintf(&in, "POST /%d?q HTTP/1.1\r\nHost: h%d\r\nX: %d\r\nContent-Length: 2\r\n\r\nhi", i, i, i)
	}
	talk(t, addr, in.String())
	s.Close()
	for i, k := range all {
		if k.uri != fmt.Sprintf("/%d?q", i) || k.path != fmt.Sprintf("/%d", i) || k.host != fmt.Sprintf("h%d", i) || k.x != fmt.Sprint(i) {
			t.Errorf("strings of request %d have changed: %q", i, k)
		}
		if _, err := k.body.Read(make([]byte, 1)); err != http.ErrBodyReadAfterClose {
			t.Errorf("late read of a body: %v", err)
		}
	}
	if len(all) != 50 {
		t.Errorf("%d requests, want 50", len(all))
	}
}

// A syncLog is a log that goroutines and a test can use concurrently.
type syncLog struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *syncLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *syncLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestLate uses ResponseWriters after their handler has returned, while the
// same connection and others serve requests. These calls must not reach any
// client.
func TestLate(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		var lines syncLog
		var late sync.WaitGroup
		late.Add(1) // so that it isn't zero before Wait
		served := make(chan bool)
		addr := start(t, k.make(&http.Server{
			ErrorLog: log.New(&lines, "", 0),
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/late" {
					ctx := r.Context()
					late.Go(func() {
						<-ctx.Done() // the handler has returned
						<-served
						rc := http.NewResponseController(w)
						for range 20 {
							if n, err := w.Write([]byte("LATE")); n != 0 || err == nil {
								t.Errorf("late Write: %d, %v", n, err)
							}
							if n, err := io.WriteString(w, "LATE"); n != 0 || err == nil {
								t.Errorf("late WriteString: %d, %v", n, err)
							}
							if n, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader("LATE")); n != 0 || err == nil {
								t.Errorf("late ReadFrom: %d, %v", n, err)
							}
							w.WriteHeader(500)
							w.Header().Set("Late", "LATE")
							if rc.Flush() == nil || rc.EnableFullDuplex() == nil {
								t.Error("late Flush or EnableFullDuplex did something")
							}
						}
					})
				}
				io.WriteString(w, r.URL.Path)
			}),
		}))
		var in strings.Builder
		in.WriteString("GET /late HTTP/1.1\r\nHost: h\r\n\r\n")
		for range 300 {
			in.WriteString("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
		}
		got := talk(t, addr, "GET /late HTTP/1.1\r\nHost: h\r\n\r\n")
		close(served)
		for range 5 {
			got += talk(t, addr, in.String())
		}
		late.Done()
		late.Wait()
		if strings.Contains(got, "LATE") || strings.Contains(got, " 500 ") || strings.Count(got, "HTTP/1.1 200 OK\r\n") != 1+5*301 {
			t.Error("a late call changed a response")
		}
		if s := lines.String(); !strings.Contains(s, "engine: ResponseWriter.Write was called after the handler returned, by ") || !strings.Contains(s, "retain_test.go:") {
			t.Errorf("log: %.500s", s)
		}
	})
}

// TestLateSameConnection uses a ResponseWriter in the next handler of the same
// connection, where accidental reuse is most likely.
func TestLateSameConnection(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		var kept []http.ResponseWriter
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, old := range kept {
				if old == w {
					t.Error("a ResponseWriter was used again")
				}
				old.Header().Set("Late", "LATE")
				old.WriteHeader(500)
				if n, err := io.WriteString(old, "LATE"); n != 0 || err == nil {
					t.Errorf("late WriteString: %d, %v", n, err)
				}
				if http.NewResponseController(old).SetWriteDeadline(time.Unix(1, 0)) == nil {
					t.Error("late SetWriteDeadline did something")
				}
			}
			kept = append(kept, w)
			io.WriteString(w, "ok")
		})}))
		got := talk(t, addr, strings.Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 30))
		if strings.Contains(got, "LATE") || strings.Contains(got, " 500 ") || strings.Count(got, "\r\n\r\nok") != 30 {
			t.Errorf("a late call changed a response: %q", got)
		}
	})
}

// TestLateWaitsForNobody uses a ResponseWriter after its handler has returned,
// while the response belongs to another connection whose client doesn't read.
func TestLateWaitsForNobody(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		writers, returned := make(chan *writer), make(chan bool)
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			writers <- w.(*writer)
			for {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		})}))
		c := dial(t, addr)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		current := eventually(t, "a writer", writers)
		res := current.Response.Sender.(*response)
		old := *current
		old.Gen--
		for busy := 0; busy < 20; { // the handler waits for the client
			time.Sleep(time.Millisecond)
			if busy++; res.TryLock() {
				res.Unlock()
				busy = 0
			}
		}
		go func() {
			old.Write([]byte("late"))
			old.Header()
			old.WriteHeader(500)
			old.Flush()
			old.EnableFullDuplex()
			close(returned)
		}()
		eventually(t, "late calls return", returned)
		c.Close()
	})
}

// TestInformationalAfterError sends informational responses to a client that
// has left. They must not take memory.
func TestInformationalAfterError(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		sizes := make(chan int)
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.WriteHeader(103)
			}
			for range 10_000 {
				w.WriteHeader(103)
			}
			sizes <- cap(w.(*writer).Response.Sender.(*response).out)
		})}))
		c := dial(t, addr)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		c.Close()
		if size := eventually(t, "the handler ends", sizes); size > 16*outputSize {
			t.Errorf("the output buffer has %d bytes", size)
		}
	})
}
