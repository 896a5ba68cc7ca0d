package engine

import (
	"context"
	"net"
	"sync"
	"time"
)

// watchAfter is how long a request runs before the watcher looks whether its
// client is still there.
const watchAfter = 10 * time.Millisecond

// A watcher finds the requests that still run after some milliseconds, of two
// kinds. Where somebody follows the context, it has the connection watched.
// Where answers to earlier requests wait to be sent together with this one, it
// has them sent. Its goroutine exists only while there are such requests.
type watcher struct {
	mu      sync.Mutex
	running bool
	pending []*requestContext
}

// add makes the watcher look at x later. The caller holds x.mu.
func (w *watcher) add(x *requestContext) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, x)
	if !w.running {
		w.running = true
		go w.run()
	}
}

func (w *watcher) run() {
	var again []*requestContext // those that can't be watched yet
	for {
		time.Sleep(watchAfter)
		w.mu.Lock()
		batch := append(again, w.pending...)
		clear(w.pending)
		w.pending = w.pending[:0]
		if len(batch) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		again = nil
		for _, x := range batch {
			if x.pending && !x.ended() {
				go x.flushLate()
			}
			x.pending = false
			if !x.startWatch() {
				again = append(again, x)
			}
		}
	}
}

// ended reports whether the context has ended.
func (x *requestContext) ended() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err != nil
}

// A clientWatch is the watching of a connection while a handler runs: a read of
// one byte in a goroutine, as net/http does for each request. It starts only
// when the request's body was read to its end, and ends before anybody else
// reads the connection. Its fields belong to requestContext.mu.
type clientWatch struct {
	off     bool          // must not start (again)
	aborted bool          // the read is to be given up
	ended   chan struct{} // closed when the goroutine is done; nil if none ran
	n       int           // bytes read
	b       [1]byte
}

// startWatch starts watching the client. It reports false if it is too early
// because the handler may still read the request's body.
func (x *requestContext) startWatch() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	w := &x.watch
	if x.err != nil || !x.enlisted || w.off || w.ended != nil {
		return true
	}
	if x.body != nil && !x.body.consumed.Load() {
		return false
	}
	w.ended = make(chan struct{})
	// A deadline was for the body, and would end the request now, as if the
	// client had left.
	x.conn.nc.SetReadDeadline(time.Time{})
	go x.watchClient(x.conn.nc, w.ended)
	return true
}

func (x *requestContext) watchClient(nc net.Conn, ended chan struct{}) {
	n, err := nc.Read(x.watch.b[:])
	x.mu.Lock()
	x.watch.n = n
	left := err != nil && !x.watch.aborted
	close(ended)
	x.mu.Unlock()
	if left {
		x.clientLeft()
	}
}

// stopWatch ends the watching and keeps it from starting. It returns the byte
// that was read, if any. Afterwards the connection may be read again.
func (x *requestContext) stopWatch() []byte {
	x.mu.Lock()
	w := &x.watch
	w.off = true
	if w.ended == nil {
		x.mu.Unlock()
		return nil
	}
	w.aborted = true
	ended := w.ended
	w.ended = nil
	x.mu.Unlock()
	x.conn.nc.SetReadDeadline(longAgo)
	<-ended
	x.conn.nc.SetReadDeadline(time.Time{})
	got := w.b[:w.n]
	w.n = 0
	return got
}

// finish ends the context because the handler returned, and the watching.
func (x *requestContext) finish() []byte {
	x.end(context.Canceled)
	x.mu.Lock()
	watched := x.watch.ended != nil
	x.watch.off = true
	x.mu.Unlock()
	if watched {
		return x.stopWatch()
	}
	return nil
}
