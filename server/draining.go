package server

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Draining returns a channel that is closed when the server stops accepting
// connections, after DrainDelay. Running requests then have DrainTimeout to
// finish. Handlers that run until the client disconnects, such as event
// streams, should return when the channel is closed:
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
// ctx is the context of the request, or derived from it. If the request isn't
// served by a Server, Draining returns nil, which is never ready in a select.
func Draining(ctx context.Context) <-chan struct{} {
	if c, _ := ctx.Value(connKey{}).(*conn); c != nil {
		return c.l.drained
	}
	return nil
}

// NotifyContext returns a copy of parent that is canceled when the process
// receives SIGTERM or an interrupt. It is for programs that call Serve instead
// of Run. A second signal, or one after parent has ended, terminates the
// process. The function stop cancels the context and restores the default
// behavior of the signals.
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
			// Before canceling, because a second signal may follow as soon as
			// the first one has an effect.
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

// The causes of the cancellation of a context of NotifyContext.
var (
	errInterrupt = errors.New("server: interrupted")
	errTerminate = errors.New("server: terminated")
)
