package engine

import (
	"net"
	"sync"
	"time"
)

// watchAfter is how long a request runs before the watcher handles it.
const watchAfter = 10 * time.Millisecond

// A watcher handles requests that run longer than watchAfter. If the context's
// Done channel is in use, it starts watching the connection. If responses to
// earlier requests are waiting to be sent together with this one's, it sends
// them. Its goroutine runs only while there are such requests.
type watcher struct {
	mu      sync.Mutex
	running bool
	pending []*requestContext
}

// add makes the watcher handle x later.
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
			if x.pending && !x.Ended() {
				go x.flushLate()
			}
			x.pending = false
			if !x.startWatch() {
				again = append(again, x)
			}
		}
	}
}

// A clientWatch detects that the client disconnects while a handler runs, by
// reading one byte in a goroutine, as net/http does for each request. It starts
// only after the request body was read completely, and stops before anything
// else reads the connection. requestContext.mu guards its fields.
type clientWatch struct {
	off     bool          // it must not start any more
	aborted bool          // stopWatch has interrupted the read
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
	if !x.Following() || w.off || w.ended != nil {
		return true
	}
	if x.body != nil && !x.body.consumed.Load() {
		return false
	}
	w.ended = make(chan struct{})
	// Remove the deadline for the body. Otherwise its expiry would look as if
	// the client had disconnected.
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
		x.ClientLeft()
	}
}

// stopWatch stops the watch and prevents it from starting. It returns the byte
// that was read, if any. Afterwards the connection can be read again.
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
