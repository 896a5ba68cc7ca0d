package request

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// A Context is the context of a request. It ends when Cancel is called or when the
// connection's context ends.
//
// The Done channel is created at the first call of Done, so short requests
// don't pay for it. Contexts are never reused, because programs often retain
// them.
type Context struct {
	context.Context // of the connection: values, perhaps a cancelation

	// Follower is told when the program first waits for the context to end.
	// It may be nil. Its method is called with the context locked.
	Follower interface{ Follow() }

	mu        sync.Mutex
	err       error
	done      chan struct{}
	funcs     map[*afterFunc]struct{}
	stop      func() bool // stops following the connection's context
	notify    chan bool   // of CloseNotify
	left      bool        // the client has disconnected, for CloseNotify
	following bool
}

// String returns a description like that of a context of package context.
func (x *Context) String() string {
	if s, ok := x.Context.(fmt.Stringer); ok {
		return s.String() + ".WithCancel"
	}
	return fmt.Sprintf("%T.WithCancel", x.Context)
}

// Format implements [fmt.Formatter]. Without it, %#v and other verbs would read
// the fields while they change.
func (x *Context) Format(s fmt.State, _ rune) { io.WriteString(s, x.String()) }

// An afterFunc is a function that runs when a context ends.
type afterFunc struct{ f func() }

// Done implements [context.Context].
func (x *Context) Done() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done == nil {
		x.done = make(chan struct{})
		if x.err != nil {
			close(x.done)
		}
	}
	x.follow()
	return x.done
}

// Err implements [context.Context].
func (x *Context) Err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil {
		x.follow()
		if err := x.Context.Err(); err != nil {
			return err
		}
	}
	return x.err
}

// AfterFunc arranges for f to run in its own goroutine when the context ends.
// Package context uses it in place of a goroutine that waits for Done.
func (x *Context) AfterFunc(f func()) (stop func() bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err != nil {
		go f()
		return func() bool { return false }
	}
	x.follow()
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

// CloseNotify returns the channel of [http.CloseNotifier].
func (x *Context) CloseNotify() <-chan bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.notify == nil {
		x.notify = make(chan bool, 1)
		if x.left {
			x.notify <- true
		}
	}
	x.follow()
	return x.notify
}

// follow makes the context end when the connection's context ends, and tells
// the Follower. Only the first call has an effect. The caller holds x.mu.
func (x *Context) follow() {
	if x.following || x.err != nil {
		return
	}
	x.following = true
	if x.Follower != nil {
		x.Follower.Follow()
	}
	if x.Context.Done() != nil {
		x.stop = context.AfterFunc(x.Context, func() { x.Cancel(x.Context.Err()) })
	}
}

// Following reports whether the program waits for the context to end, which has
// not happened yet.
func (x *Context) Following() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.following && x.err == nil
}

// Ended reports whether the context has ended.
func (x *Context) Ended() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err != nil
}

// ClientLeft ends the context because the client has disconnected.
func (x *Context) ClientLeft() {
	x.mu.Lock()
	x.left = true
	if x.notify != nil {
		select {
		case x.notify <- true:
		default: // already notified
		}
	}
	x.mu.Unlock()
	x.Cancel(context.Canceled)
}

// Cancel ends the context. Only the first call has an effect.
func (x *Context) Cancel(err error) {
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
