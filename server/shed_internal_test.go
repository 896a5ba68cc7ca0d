package server

import (
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// TestWork checks which time of a request counts.
func TestWork(t *testing.T) {
	type step func(*work)
	pause, resume, respond := (*work).pause, (*work).resume, (*work).respond
	for _, test := range []struct {
		name  string
		steps []step // one each second
		took  time.Duration
		runs  []int64 // after each step
	}{
		{"no waits", nil, 1, nil},
		{"a wait", []step{pause, resume}, 2, []int64{0, 1}},
		{"two at once", []step{pause, pause, resume, resume}, 2, []int64{0, 0, 0, 1}},
		{"one that began earlier", []step{resume, pause, resume}, 3, []int64{1, 0, 1}},
		{"a response", []step{respond, pause, resume}, 1, []int64{0, 0, 0}},
		{"a response in a wait", []step{pause, respond, resume}, 1, []int64{0, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s Shed
				var k work
				s.running.Add(1)
				k.begin(&s, true)
				for i, step := range test.steps {
					time.Sleep(time.Second)
					step(&k)
					if n := s.running.Load(); n != test.runs[i] {
						t.Errorf("%d run after step %d, want %d", n, i, test.runs[i])
					}
				}
				time.Sleep(time.Second)
				if k.end(); time.Duration(k.took) != test.took*time.Second || s.running.Load() != 0 {
					t.Errorf("it took %v, want %d s, and %d run", time.Duration(k.took), test.took, s.running.Load())
				}
			})
		})
	}
}

// A barrier is a writer that makes requests begin at the same time.
type barrier struct {
	http.ResponseWriter
	begin sync.WaitGroup
}

func (b *barrier) FlushEarlier() { b.begin.Done(); b.begin.Wait() }

// TestWorkOfTwoHandlers checks that nothing counts after two handlers that were
// called at the same time with one request.
func TestWorkOfTwoHandlers(t *testing.T) {
	var s Shed
	var k work
	var b barrier
	var handlers sync.WaitGroup
	b.begin.Add(2)
	for range 2 {
		handlers.Go(func() {
			s.serve(&k, 0, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), &b, &http.Request{Pattern: "/"})
		})
	}
	if handlers.Wait(); s.running.Load() != 0 {
		t.Errorf("%d run in the end", s.running.Load())
	}
}

// TestWorkOfWrites checks that a write too short to be a response doesn't count while
// it waits for the client.
func TestWorkOfWrites(t *testing.T) {
	peer, nc := net.Pipe()
	defer peer.Close()
	srv := New("", nil)
	c := &conn{Conn: nc, l: newListener(nil, srv)}
	c.setState(http.StateActive)
	c.handlerBegins(nil, true)
	var s Shed
	s.running.Add(1)
	c.work.begin(&s, false)
	const text = "HTTP/1.1 100 Continue\r\n\r\n"
	go io.WriteString(c, text)
	steady.Until(t, time.Minute, "the write doesn't count", func() bool { return s.running.Load() == 0 })
	io.ReadFull(peer, make([]byte, len(text)))
	steady.Until(t, time.Minute, "the request counts", func() bool { return s.running.Load() == 1 })
}

// BenchmarkShed measures what a Shed costs for each request.
func BenchmarkShed(b *testing.B) {
	var s Shed
	s.mask.Store(63)
	var k work
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	r := &http.Request{Pattern: "/"}
	b.ReportAllocs()
	for b.Loop() {
		s.serve(&k, 0, h, nil, r)
	}
}
