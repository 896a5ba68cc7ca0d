package engine

import (
	"context"
	"sync"
)

// A requestContext is the context of a request. It ends when the handler
// returns, the client disconnects, or the connection's context ends.
//
// The Done channel is created at the first call of Done. Only then is the
// connection watched, and only if the request runs for some time (see watcher).
// So short requests don't pay for it. Contexts are never reused, not even with
// Recycle, because programs often retain them.
type requestContext struct {
	context.Context // of the connection: values, perhaps a cancelation
	conn            *conn
	body            *body // nil if the request has none
	res             *response
	gen             uint64 // of res, while this request's handler runs
	pending         bool   // res holds responses to earlier requests

	mu       sync.Mutex
	err      error
	done     chan struct{}
	funcs    map[*afterFunc]struct{}
	stop     func() bool // stops following the connection's context
	notify   chan bool   // of CloseNotify
	left     bool        // the client has disconnected, for CloseNotify
	enlisted bool        // the watcher handles this request
	watch    clientWatch
}

// An afterFunc is a function that runs when a context ends.
type afterFunc struct{ f func() }

// Done implements [context.Context].
func (x *requestContext) Done() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done == nil {
		x.done = make(chan struct{})
		if x.err != nil {
			close(x.done)
		}
	}
	x.followLocked()
	return x.done
}

// Err implements [context.Context].
func (x *requestContext) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		x.followLocked()
		if err := x.Context.Err(); err != nil {
			return err
		}
	}
	return x.err
}

// AfterFunc arranges for f to run in its own goroutine when the context ends.
// Package context uses it in place of a goroutine that waits for Done.
func (x *requestContext) AfterFunc(f func()) (stop func() bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err != nil {
		go f()
		return func() bool { return false }
	}
	x.followLocked()
	a := &afterFunc{f}
	if x.funcs == nil {
		x.funcs = make(map[*afterFunc]struct{})
	}
	x.funcs[a] = struct{}{}
	return func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		_, ok := x.funcs[a]
		delete(x.funcs, a)
		return ok
	}
}

// closeNotify returns the channel of [http.CloseNotifier].
func (x *requestContext) closeNotify() <-chan bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.notify == nil {
		x.notify = make(chan bool, 1)
		if x.left {
			x.notify <- true
		}
	}
	x.followLocked()
	return x.notify
}

// followLocked makes the context end when the connection's context ends or the
// client disconnects. Only the first call has an effect.
func (x *requestContext) followLocked() {
	if x.enlisted || x.err != nil {
		return
	}
	x.enlisted = true
	x.conn.server.watcher.add(x)
	if x.Context.Done() != nil {
		x.stop = context.AfterFunc(x.Context, func() { x.cancel(x.Context.Err()) })
	}
}

// clientLeft ends the context because the client has disconnected.
func (x *requestContext) clientLeft() {
	x.mu.Lock()
	x.left = true
	if x.notify != nil {
		select {
		case x.notify <- true:
		default: // already notified
		}
	}
	x.mu.Unlock()
	x.cancel(context.Canceled)
}

// cancel ends the context. Only the first call has an effect.
func (x *requestContext) cancel(err error) {
	x.mu.Lock()
	if x.err != nil {
		x.mu.Unlock()
		return
	}
	x.err = err
	if x.done != nil {
		close(x.done)
	}
	funcs, stop := x.funcs, x.stop
	x.funcs, x.stop = nil, nil
	x.mu.Unlock()
	if stop != nil {
		stop()
	}
	for a := range funcs {
		go a.f()
	}
}
