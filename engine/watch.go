package engine

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// watchAfter is how long a request runs before the watcher handles it.
const watchAfter = 10 * time.Millisecond

// flushTries bounds how often the watcher tries to send earlier responses, each
// time after watchAfter. Whoever holds the mutex for longer is sending them, maybe
// to a client that doesn't read.
const flushTries = 100

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
	for {
		time.Sleep(watchAfter)
		w.mu.Lock()
		batch := w.pending
		w.pending = nil
		if len(batch) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		for _, x := range batch {
			if x.pending > 0 {
				x.pending--
				if x.Ended() || x.flushLate() {
					x.pending = 0
				} else if x.pending > 0 {
					w.add(x)
				}
			}
			x.startWatch()
		}
	}
}

// A clientWatch detects that the client disconnects while a handler runs, by
// reading one byte in a goroutine, as net/http does for each request. It starts
// only after the request body was read completely, and stops before anything
// else reads the connection. requestContext.mu guards its fields.
type clientWatch struct {
	off     bool          // it must not start any more
	waiting bool          // it is to start when the body was read completely
	aborted bool          // stopWatch has interrupted the read
	ended   chan struct{} // closed when the goroutine is done; nil if none ran
	n       int           // bytes read
	b       [1]byte
}

// startWatch starts watching the client. If the handler may still read the
// request's body, it leaves that to resumeWatch.
func (x *requestContext) startWatch() {
	x.mu.Lock()
	defer x.mu.Unlock()
	w := &x.watch
	if !x.Following() || w.off || w.ended != nil {
		return
	}
	if x.body != nil && !x.body.consumed.Load() {
		w.waiting = true
		return
	}
	// Remove the deadline for the body. Otherwise its expiry would look as if
	// the client had disconnected.
	err := x.conn.deadlines.removeRead(x.conn)
	if err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
		// The connection has no deadlines, such as an SSH channel. stopWatch
		// could not interrupt the read, and would delay the response.
		return
	}
	w.ended = make(chan struct{})
	go x.watchClient(x.conn.nc, w.ended)
}

// resumeWatch is called when the body was read completely. If startWatch was
// called before, the watcher will call it again.
func (x *requestContext) resumeWatch() {
	x.mu.Lock()
	waiting := x.watch.waiting
	x.watch.waiting = false
	x.mu.Unlock()
	if waiting {
		x.conn.server.watcher.add(x)
	}
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
