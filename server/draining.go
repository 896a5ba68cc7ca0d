package server

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Draining returns a channel that is closed when the server that serves a
// request stops accepting connections. Running requests then have DrainTimeout
// to finish. During DrainDelay the channel is still open. Handlers that run for
// as long as the client stays, such as event streams, should return when it is
// closed:
//
//	select {
//	case e := <-events:
//		...
//	case <-server.Draining(r.Context()):
//		return // the client reconnects, to another server
//	case <-r.Context().Done():
//		return
//	}
//
// ctx is the context of the request, or one derived from it. If the request is
// not served by a Server, Draining returns nil, which blocks forever in a
// select.
func Draining(ctx context.Context) <-chan struct{} {
	if c, _ := ctx.Value(connKey{}).(*conn); c != nil {
		return c.l.drained
	}
	return nil
}

// NotifyContext returns a copy of parent that is canceled when the process
// receives SIGTERM or an interrupt, for programs that call Serve instead of
// Run. A second signal ends the process at once, as it would without this
// package. The function stop cancels the context and stops catching signals.
//
// If the context was canceled by an interrupt, which comes from a keyboard,
// Serve skips DrainDelay.
func NotifyContext(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case <-ctx.Done():
		case sig := <-signals:
			// First: whoever sees that the first signal has worked may send the
			// second one.
			signal.Stop(signals)
			if sig == os.Interrupt {
				cancel(errInterrupt)
			}
			cancel(errTerminate)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
	}
}

// The causes for which a context of NotifyContext ends.
var (
	errInterrupt = errors.New("server: interrupted")
	errTerminate = errors.New("server: terminated")
)
