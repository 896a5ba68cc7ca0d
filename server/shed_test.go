package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// A simulation calls a handler in the time of a test bubble. Its requests hold
// one of so many places for a time.
type simulation struct {
	shed     *server.Shed
	log      bytes.Buffer
	patience time.Duration // of clients
	next     http.Handler
	handler  http.Handler // next, in shed
	work     sync.WaitGroup

	mu      sync.Mutex
	refused map[string]int // by path
	served  map[string][]time.Duration
}

func newSimulation(places int, hold time.Duration) *simulation {
	s := &simulation{shed: new(server.Shed), patience: time.Hour}
	s.shed.Log = slog.New(slog.NewTextHandler(&s.log, nil))
	free := make(chan bool, places)
	s.next = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		r.Pattern = r.URL.Path
		if r.URL.Path == "/report" { // doesn't need a place
			time.Sleep(40 * hold)
			return
		}
		select {
		case free <- true:
		case <-r.Context().Done():
			return
		}
		time.Sleep(hold)
		<-free
	})
	s.handler = s.shed.Wrap(0, s.next)
	s.results()
	return s
}

// results returns the results since the last call.
func (s *simulation) results() (refused map[string]int, served map[string][]time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refused, served = s.refused, s.served
	s.refused, s.served = map[string]int{}, map[string][]time.Duration{}
	return refused, served
}

func (s *simulation) send(path string) {
	s.work.Go(func() {
		began, w := time.Now(), httptest.NewRecorder()
		ctx, cancel := context.WithTimeout(context.Background(), s.patience)
		defer cancel()
		s.handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", path, nil))
		s.mu.Lock()
		defer s.mu.Unlock()
		if w.Code == http.StatusServiceUnavailable {
			s.refused[path]++
		} else if ctx.Err() == nil {
			s.served[path] = append(s.served[path], time.Since(began))
		}
	})
}

// load sends requests at random times.
func (s *simulation) load(path string, rate float64, d time.Duration) {
	random := rand.New(rand.NewPCG(1, uint64(rate)))
	for end := time.Now().Add(d); time.Now().Before(end); {
		s.send(path)
		time.Sleep(time.Duration(random.ExpFloat64() / rate * 1e9))
	}
}

// TestShedOverload checks what is served of a load beyond the capacity, and
// after it.
func TestShedOverload(t *testing.T) {
	for _, test := range []struct {
		places   int
		hold     time.Duration
		times    float64 // the capacity
		patience time.Duration
	}{
		{1, 10 * time.Millisecond, 2, time.Hour}, {1, 10 * time.Millisecond, 10, time.Hour},
		{20, 100 * time.Millisecond, 2, time.Hour}, {20, 100 * time.Millisecond, 10, time.Hour},
		{200, 200 * time.Millisecond, 2, time.Hour}, {2, time.Millisecond, 3, time.Hour}, {20, 2 * time.Second, 2, time.Hour},
		{20, 100 * time.Millisecond, 10, time.Second}, {20, 300 * time.Millisecond, 4, time.Second},
	} {
		t.Run(fmt.Sprintf("%d places for %v, %v times, %v", test.places, test.hold, test.times, test.patience), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation(test.places, test.hold)
				s.shed.MinLimit, s.patience = 2, test.patience
				capacity := float64(test.places) / test.hold.Seconds()
				s.load("/", capacity/2, 20*test.hold+time.Second)
				if refused, _ := s.results(); len(refused) > 0 {
					t.Errorf("refused before the overload: %v", refused)
				}
				onset := 20*test.hold + 4*time.Second // until what was let in before the limit is done
				s.load("/", capacity*test.times, onset)
				s.results()
				d := 20*test.hold + 4*time.Second
				s.load("/", capacity*test.times, d)
				_, results := s.results()
				served := results["/"]
				slices.Sort(served)
				if got := float64(len(served)) / d.Seconds() / capacity; got < 0.9 {
					t.Errorf("%.0f %% of the capacity is used, want 90 %%", 100*got)
				}
				if p := served[len(served)*99/100]; p > max(3*test.hold, test.hold+10*time.Millisecond) {
					t.Errorf("p99 of those served is %v", p)
				}
				s.load("/", capacity/3, 2*time.Second)
				s.results()
				s.load("/", capacity/3, 10*time.Second)
				s.work.Wait()
				synctest.Wait()
				if refused, _ := s.results(); len(refused) > 0 {
					t.Errorf("refused 2 s after the overload: %v", refused)
				}
				if st := s.shed.Stats(); st.Running != 0 || st.Limit != 0 || st.Refused == 0 {
					t.Errorf("afterwards %+v", st)
				}
				if log := s.log.String(); strings.Count(log, "\n") != 2 || !strings.Contains(log, `msg="shedding load" limit=`) || !strings.Contains(log, `msg="no longer shedding load" refused=`) {
					t.Errorf("the log isn't one line for the begin and one for the end:\n%s", log)
				}
			})
		})
	}
}

// TestShedBursts checks that nothing is refused in ten minutes of bursts below
// the capacity, beside reports that take 40 times as long.
func TestShedBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(20, 20*time.Millisecond) // 1000/s
		s.work.Go(func() { s.load("/report", 10, 10*time.Minute) })
		for range 600 {
			for range 100 {
				s.send("/")
			}
			s.load("/", 300, time.Second)
		}
		s.work.Wait()
		if refused, served := s.results(); len(refused) > 0 || len(served["/"]) < 200_000 || s.log.Len() > 0 {
			t.Errorf("refused %v, served %d and %d\n%s", refused, len(served["/"]), len(served["/report"]), s.log.String())
		}
	})
}

// TestShedSlower checks that a service that has become slower, but isn't
// overloaded, is soon served in full.
func TestShedSlower(t *testing.T) {
	for _, times := range []time.Duration{2, 5, 15} {
		synctest.Test(t, func(t *testing.T) {
			s := newSimulation(1000, 0)
			hold := 20 * time.Millisecond
			var mu sync.Mutex
			s.handler = s.shed.Wrap(0, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				mu.Lock()
				d := hold
				mu.Unlock()
				time.Sleep(d)
			}))
			s.load("/", 500, 5*time.Second)
			mu.Lock()
			hold *= times
			mu.Unlock()
			s.load("/", 500, 10*time.Second)
			s.results()
			s.load("/", 500, 10*time.Second)
			s.work.Wait()
			if refused, served := s.results(); len(refused) > 0 {
				t.Errorf("%d times slower: refused %v, served %d", times, refused, len(served["/"]))
			}
		})
	}
}

// TestShedPriority checks that requests of a higher priority are served first.
func TestShedPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(20, 100*time.Millisecond) // 200/s
		low, next, high := s.shed.Wrap(-1, s.next), s.handler, s.shed.Wrap(+1, s.next)
		s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/low":
				low.ServeHTTP(w, r)
			case "/login":
				high.ServeHTTP(w, r)
			default:
				next.ServeHTTP(w, r)
			}
		})
		load := func(d time.Duration) {
			var work sync.WaitGroup
			for path, rate := range map[string]float64{"/low": 300, "/": 120, "/login": 40} {
				work.Go(func() { s.load(path, rate, d) })
			}
			work.Wait()
		}
		s.load("/", 50, 2*time.Second)
		load(10 * time.Second)
		s.results()
		load(20 * time.Second)
		refused, served := s.results()
		part := func(path string) float64 {
			n := float64(refused[path])
			return n / (n + float64(len(served[path])))
		}
		if part("/login") > 0.01 || part("/") > part("/low")/2 || part("/low") < 0.5 {
			t.Errorf("parts refused: login %.3f, others %.3f, low %.3f", part("/login"), part("/"), part("/low"))
		}
		s.work.Wait()
		time.Sleep(time.Minute)
	})
}

// TestShedServes checks which requests count, over all protocols: with one that
// counts, another one is refused.
func TestShedServes(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			running, leave := make(chan bool, 1), make(chan bool)
			s, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/panic":
					panic(http.ErrAbortHandler)
				case "/upload":
					running <- true
					io.Copy(io.Discard, r.Body)
				case "/events":
					http.NewResponseController(w).Flush()
					<-r.Context().Done()
				case "/slow":
					w.Write(make([]byte, 8<<10))
					<-r.Context().Done()
				case "/big":
					endless(w, r)
				case "/wait", "/exempt":
					running <- true
					<-leave
				}
				hello(w, r)
			}), func(s *server.Server) {
				v.configure(t, s)
				s.LivePath, s.ReadyPath, s.ErrorHandler, s.StallTimeout, s.DrainTimeout = "/livez", "/readyz", problem.JSON, 0, 0
				s.Shed = &server.Shed{MaxLimit: 1, Priority: func(r *http.Request) int {
					if r.URL.Path == "/exempt" {
						return server.Exempt
					}
					return 0
				}}
			})
			c, url := v.client(t), v.scheme+addr
			free := func(what string) {
				t.Helper()
				eventually(t, longest, what+" doesn't count", func() bool { return s.Stats().Shed.Running == 0 })
				if err := get(c, url); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			for range 3 {
				if _, err := c.Get(url + "/panic"); err == nil {
					t.Error("a panic was served")
				}
			}
			free("a panic")

			body, upload := io.Pipe()
			sent := make(chan error, 1)
			go func() { sent <- isHello(c.Post(url+"/upload", "", body)) }()
			upload.Write([]byte("x")) // some clients send the head with the first bytes
			<-running
			free("a slow upload")
			upload.Close()
			if err := <-sent; err != nil {
				t.Error(err)
			}
			for _, path := range []string{"/events", "/slow", "/big"} { // not read
				resp, err := c.Get(url + path)
				if err != nil {
					t.Fatal(err)
				}
				free(path)
				resp.Body.Close()
			}
			go func() { sent <- get(c, url+"/exempt") }()
			<-running
			free("an exempt one")
			leave <- true
			if err := <-sent; err != nil {
				t.Error(err)
			}

			go func() { sent <- get(c, url+"/wait") }()
			<-running
			for _, path := range []string{"/livez", "/readyz"} {
				resp, err := c.Get(url + path)
				if err != nil || resp.StatusCode != 200 {
					t.Errorf("%s: %v, %v", path, resp, err)
				}
			}
			before := s.Stats().Shed.Refused
			body, upload = io.Pipe()
			r, _ := http.NewRequest("POST", url+"/upload", body) // the response comes before the body
			r.ContentLength = 1 << 20
			resp, err := c.Do(r)
			upload.Close()
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			if after := resp.Header.Get("Retry-After"); resp.StatusCode != 503 || !slices.Contains([]string{"1", "2", "3"}, after) || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s, Retry-After %q, %s", resp.Status, after, text)
			}
			if st := s.Stats().Shed; st.Refused != before+1 || st.Limit != 1 || st.Running != 1 {
				t.Errorf("%+v", st)
			}
			leave <- true
			if err := <-sent; err != nil {
				t.Error(err)
			}
			free("one that was served")
		})
	}
}

// TestShedCountsUntilTheResponse checks that a request counts while its handler
// runs, also if something else is sent meanwhile: 100 Continue, or the response
// to an earlier request.
func TestShedCountsUntilTheResponse(t *testing.T) {
	t.Parallel()
	const head = "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
	for _, v := range []variant{plain, overTLS, onEngine(plain), onEngine(overTLS)} {
		for _, c := range []struct {
			name, send string
			before     []int // statuses before the body is sent
		}{
			{"100 Continue", head + "Expect: 100-continue\r\n\r\n", []int{100}},
			{"pipelined", headHello + head + "\r\n", []int{200}},
			{"both", headHello + head + "Expect: 100-continue\r\n\r\n", []int{200, 100}},
		} {
			running, leave := make(chan bool), make(chan bool)
			shed := &server.Shed{MaxLimit: 1}
			h := shed.Wrap(0, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/wait" {
					io.Copy(io.Discard, r.Body)
					running <- true
					<-leave
				}
				hello(w, r)
			}))
			_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(struct{ http.ResponseWriter }{w}, r) // has no Unwrap
			}), func(s *server.Server) { v.configure(t, s) })
			nc := v.secure(dial(t, addr))
			nc.SetDeadline(time.Now().Add(longest))
			io.WriteString(nc, c.send)
			in := bufio.NewReader(nc)
			status := func() int {
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatalf("%s, %s: %v", v.name, c.name, err)
				}
				io.Copy(io.Discard, resp.Body)
				return resp.StatusCode
			}
			for _, want := range c.before {
				if got := status(); got != want {
					t.Errorf("%s, %s: status %d, want %d", v.name, c.name, got, want)
				}
			}
			io.WriteString(nc, "x")
			<-running
			if n := shed.Stats().Running; n != 1 {
				t.Errorf("%s, %s: %d requests count, want 1", v.name, c.name, n)
			}
			close(leave)
			if got := status(); got != 200 {
				t.Errorf("%s, %s: status %d, want 200", v.name, c.name, got)
			}
		}
	}
}

// TestShedWrap checks that a request of Wrap, too, counts until it responds.
func TestShedWrap(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			var shed server.Shed
			_, addr, _ := start(t, shed.Wrap(0, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if n := shed.Stats().Running; n != 1 {
					t.Errorf("%d requests count at first, want 1", n)
				}
				http.NewResponseController(w).Flush()
				eventually(t, longest, "it doesn't count", func() bool { return shed.Stats().Running == 0 })
				hello(w, r)
			})), func(s *server.Server) { v.configure(t, s) })
			if err := get(v.client(t), v.scheme+addr); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestShedOfTwoServers checks that two servers that start at the same time can
// share a Shed, whose fields they don't change.
func TestShedOfTwoServers(t *testing.T) {
	shed := &server.Shed{MaxLimit: 1}
	for range 2 {
		start(t, http.HandlerFunc(hello), func(s *server.Server) { s.Shed = shed })
	}
	eventually(t, longest, "the log of a server", func() bool { return server.LogOf(shed) == discardLog })
	if shed.Log != nil {
		t.Error("a server has set Shed.Log")
	}
}

// TestShedInTimeoutHandler checks that a handler goes on to count after its
// request has timed out, and that the next request of the connection counts too.
func TestShedInTimeoutHandler(t *testing.T) {
	t.Parallel()
	for _, engine := range []bool{false, true} {
		var shed server.Shed
		shed.MaxLimit = 1
		leave := make(chan bool)
		h := shed.Wrap(0, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-leave }))
		_, addr, _ := start(t, http.TimeoutHandler(h, 20*time.Millisecond, ""), func(s *server.Server) { s.Engine = engine })
		nc := dial(t, addr)
		for refused := range int64(3) {
			io.WriteString(nc, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")
			resp := readResponse(t, nc)
			if resp.StatusCode != 503 {
				t.Errorf("engine %v: status %d", engine, resp.StatusCode)
			}
			eventually(t, longest, fmt.Sprint(refused, " are refused"), func() bool { // on a busy machine, the timeout may come first
				st := shed.Stats()
				return st.Running == 1 && st.Refused == refused
			})
			io.CopyN(io.Discard, resp.Body, resp.ContentLength)
		}
		close(leave)
		eventually(t, longest, "nothing counts", func() bool { return shed.Stats().Running == 0 })
	}
}

// TestShedAfterTimeout checks that a handler that begins after its request has
// timed out doesn't count as a part of the connection's next request.
func TestShedAfterTimeout(t *testing.T) {
	t.Parallel()
	for _, engine := range []bool{false, true} {
		var shed server.Shed
		begin, leave := make(chan bool), make(chan bool)
		wrapped := shed.Wrap(0, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-leave }))
		late := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-begin; wrapped.ServeHTTP(w, r) }), 20*time.Millisecond, "")
		_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/late" {
				late.ServeHTTP(w, r)
				return
			}
			close(begin)
			eventually(t, longest, "the first handler counts", func() bool { return shed.Stats().Running == 1 })
			w.Header().Set("Content-Length", "5")
			hello(w, r)
			http.NewResponseController(w).Flush()
		}), func(s *server.Server) { s.Engine = engine })
		nc := dial(t, addr)
		for _, path := range []string{"/late", "/next"} {
			io.WriteString(nc, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
			resp := readResponse(t, nc)
			io.CopyN(io.Discard, resp.Body, resp.ContentLength)
		}
		if st := shed.Stats(); st.Running != 1 {
			t.Errorf("engine %v: %d count after the response of another request, want 1", engine, st.Running)
		}
		close(leave)
		eventually(t, longest, "nothing counts", func() bool { return shed.Stats().Running == 0 })
	}
}

// TestShedOfUnreadPipeline checks that a request doesn't count while the responses
// to earlier ones wait for a client that doesn't read them.
func TestShedOfUnreadPipeline(t *testing.T) {
	t.Parallel()
	for _, v := range []variant{plain, onEngine(plain), onEngine(overTLS)} {
		var served atomic.Int64
		_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/big" {
				served.Add(1)
				w.Write(make([]byte, 2000))
				return
			}
			hello(w, r)
		}), func(s *server.Server) {
			v.configure(t, s)
			s.Shed, s.StallTimeout, s.DrainTimeout = &server.Shed{MaxLimit: 1}, 0, 0
		})
		raw := dial(t, addr)
		raw.(*net.TCPConn).SetReadBuffer(4 << 10)
		nc := v.secure(raw)
		go io.WriteString(nc, strings.Repeat(headBig, 20_000))
		before := int64(-1)
		eventually(t, longest, "the client's window is full", func() bool {
			before = served.Load()
			time.Sleep(200 * time.Millisecond)
			return before > 0 && served.Load() == before
		})
		client := v.client(t)
		eventually(t, longest, v.name+": another client is served", func() bool { return get(client, v.scheme+addr) == nil })
		raw.Close()
	}
}
