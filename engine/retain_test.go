package engine

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// TestRetain retains requests of many connections, or their strings with Recycle,
// and compares them with their text after many more requests. They must not
// change.
func TestRetain(t *testing.T) {
	each(t, engines, func(t *testing.T, k kind) {
		var mu sync.Mutex
		var all []func() (now, then string)
		addr := start(t, k.make(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h, uri, path, host, x := w.Header(), r.RequestURI, r.URL.Path, r.Host, r.Header.Get("X-A")
			h.Set("X", uri)
			text := func() string {
				if k.name == "engine" {
					return fmt.Sprint(uri, path, host, x, r.Method, r.RequestURI, r.URL, r.Host, r.Header, h)
				}
				return fmt.Sprint(uri, path, host, x)
			}
			then := text()
			mu.Lock()
			defer mu.Unlock()
			all = append(all, func() (string, string) { return text(), then })
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
		for _, f := range all {
			if now, then := f(); now != then {
				t.Fatalf("what was retained has changed:\n%s\n%s", now, then)
			}
		}
		if len(all) != 8*20*2 {
			t.Errorf("%d requests, want %d", len(all), 8*20*2)
		}
	})
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

// TestLate uses ResponseWriters and bodies after their handler has returned,
// while the same connection and others serve requests: in goroutines, and in the
// next handlers, where accidental reuse is most likely. These calls must not
// reach any client.
func TestLate(t *testing.T) {
	eachWay(t, engines, ownWays, func(t *testing.T, k kind, way way) {
		var lines syncLog
		var late sync.WaitGroup
		late.Add(1) // so that it isn't zero before Wait
		call := func(old http.ResponseWriter) {
			rc := http.NewResponseController(old)
			if n, err := old.Write([]byte("LATE")); n != 0 || err == nil {
				t.Errorf("late Write: %d, %v", n, err)
			}
			if n, err := io.WriteString(old, "LATE"); n != 0 || err == nil {
				t.Errorf("late WriteString: %d, %v", n, err)
			}
			if n, err := old.(io.ReaderFrom).ReadFrom(strings.NewReader("LATE")); n != 0 || err == nil {
				t.Errorf("late ReadFrom: %d, %v", n, err)
			}
			old.WriteHeader(500)
			old.Header().Set("Late", "LATE")
			if rc.Flush() == nil || rc.SetWriteDeadline(time.Unix(1, 0)) == nil || rc.EnableFullDuplex() == nil && !way.http2 {
				t.Error("late Flush, SetWriteDeadline or EnableFullDuplex did something")
			}
		}
		var mu sync.Mutex
		kept := make(map[http.ResponseWriter]io.Reader)
		_, addr := way.start(t, k, &http.Server{
			ErrorLog: log.New(&lines, "", 0),
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ctx := r.Body, r.Context()
				h := w.Header()
				h.Set("Trailer", "Late")
				h.Set(http.TrailerPrefix+"End", "x")
				mu.Lock()
				for old := range kept {
					call(old)
				}
				mu.Unlock()
				late.Go(func() {
					for ctx.Err() == nil { // also while the trailers are collected
						w.Header()
					}
					<-ctx.Done() // the handler has returned
					if call(w); k.name == "engine" && way.http2 {
						h.Set("Late", "LATE")
					}
					mu.Lock()
					defer mu.Unlock()
					if kept[w] != nil {
						t.Error("a ResponseWriter was used again")
					}
					if len(kept) > 3 {
						clear(kept)
					}
					kept[w] = body
				})
				io.WriteString(w, r.URL.Path)
			}),
		})
		var clients sync.WaitGroup
		for i := range 3 {
			cl, url := way.client(t, addr)
			clients.Go(func() {
				for j := range 25 {
					path := fmt.Sprintf("/%d/%d", i, j)
					res, err := cl.Post(url+path, "", strings.NewReader("body"))
					if err != nil {
						t.Error(err)
						return
					}
					if b := bodyOf(t, res); b != path || res.StatusCode != 200 || res.Header["Late"] != nil || res.Trailer["Late"] != nil {
						t.Errorf("a late call changed a response: %d %q %q", res.StatusCode, res.Header, b)
					}
				}
			})
		}
		clients.Wait()
		late.Done()
		late.Wait()
		for _, body := range kept {
			if n, err := body.Read(make([]byte, 1)); n != 0 || err != http.ErrBodyReadAfterClose {
				t.Errorf("late Read: %d, %v", n, err)
			}
		}
		if s := lines.String(); !strings.Contains(s, "engine: ResponseWriter.Write was called after the handler returned, by ") || !strings.Contains(s, "retain_test.go:") {
			t.Errorf("log: %.500s", s)
		}
	})
}

// TestLogNamesHandler checks that the log of a misuse names the handler, also if it
// calls a function of net/http.
func TestLogNamesHandler(t *testing.T) {
	each(t, kinds, func(t *testing.T, k kind) {
		var lines syncLog
		s := k.make(&http.Server{ErrorLog: log.New(&lines, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			http.Error(w, "second", 500)
		})})
		talk(t, start(t, s), "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if got := lines.String(); !strings.Contains(got, "WriteHeader call from "+packagePath+".TestLogNamesHandler.") {
			t.Errorf("got %q", got)
		}
	})
}

// A logTo is the writer of a log that sends a copy of each line to a client.
type logTo struct{ w http.ResponseWriter }

func (l *logTo) Write(p []byte) (int, error) {
	n, err := l.w.Write(p)
	l.w.(http.Flusher).Flush()
	return n, err
}

// TestLogWrites checks that the writer of the log can use the ResponseWriter whose
// misuse is logged.
func TestLogWrites(t *testing.T) {
	misuses := map[string]func(http.ResponseWriter){
		"superfluous response.WriteHeader": func(w http.ResponseWriter) { w.WriteHeader(200); w.WriteHeader(200) },
		"invalid Content-Length": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "x")
			w.WriteHeader(200)
		},
		"WriteHeader called with both": func(w http.ResponseWriter) {
			w.Header()["Content-Length"], w.Header()["Transfer-Encoding"] = []string{"100"}, []string{"x"}
			w.(http.Flusher).Flush()
		},
	}
	eachCase(t, engines, misuses, func(t *testing.T, k kind, line string, misuse func(http.ResponseWriter)) {
		var to logTo
		s := k.make(&http.Server{ErrorLog: log.New(&to, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			to.w = w
			misuse(w)
		})})
		if got := talk(t, start(t, s), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); !strings.Contains(got, line) {
			t.Errorf("got %q, want %s", got, line)
		}
	})
	// Over HTTP/2, also another one of the connection when the handler has returned.
	eachWay(t, engines, http2Ways, func(t *testing.T, k kind, way way) {
		var to logTo
		begun, logged := make(chan bool), make(chan bool)
		_, addr := way.start(t, k, &http.Server{ErrorLog: log.New(&to, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "Content-Length")
			if r.Method == "HEAD" {
				return
			}
			to.w = w
			w.(http.Flusher).Flush()
			begun <- true
			<-logged
		})})
		cl, url := way.client(t, addr)
		go func() {
			<-begun
			if _, err := cl.Head(url); err != nil {
				t.Error(err)
			}
			close(logged)
		}()
		res, err := cl.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		const line = "ignoring invalid trailer \"Content-Length\"\n"
		if got, err := io.ReadAll(res.Body); string(got) != line+line {
			t.Errorf("got %q, %v; want the line twice", got, err)
		}
	})
}

// TestLateWaitsForNobody uses a ResponseWriter after its handler has returned,
// while the response belongs to another connection whose client doesn't read.
func TestLateWaitsForNobody(t *testing.T) {
	eachWay(t, engines, ownWays, func(t *testing.T, k kind, way way) {
		writers, returned := make(chan http.ResponseWriter), make(chan bool)
		_, addr := way.start(t, k, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			writers <- w
			for err := error(nil); err == nil; {
				_, err = w.Write(make([]byte, 1<<20))
			}
		})})
		cl, url := way.client(t, addr)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
		go cl.Do(req)
		current := reflect.ValueOf(eventually(t, "a writer", writers)).Elem()
		res := current.FieldByName("Response").Interface().(*request.Response)
		late := reflect.New(current.Type()) // the writer of an earlier request
		late.Elem().Set(current)
		late.Elem().FieldByName("Gen").SetUint(current.FieldByName("Gen").Uint() - 1)
		for busy := 0; busy < 20; { // the handler waits for the client
			time.Sleep(time.Millisecond)
			if busy++; res.TryLock() {
				res.Unlock()
				busy = 0
			}
		}
		go func() {
			w := late.Interface().(http.ResponseWriter)
			w.Write([]byte("late"))
			w.Header()
			w.WriteHeader(500)
			w.(http.Flusher).Flush()
			http.NewResponseController(w).EnableFullDuplex()
			close(returned)
		}()
		eventually(t, "late calls return", returned)
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
