package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestConnectionsThatNeverGiveWay checks connections that must not be closed to
// make room, although they take several times as long as a connection may wait
// for its peer.
func TestConnectionsThatNeverGiveWay(t *testing.T) {
	duplex := func(patience time.Duration) honest {
		const part = 16 << 10
		parts := int(3 * patience / (100 * time.Millisecond))
		return honest{name: "a handler that waits for its body while it responds", body: lateBody(patience), h: func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).EnableFullDuplex()
			var reader sync.WaitGroup
			reader.Go(func() { io.Copy(io.Discard, r.Body) })
			for range parts {
				<-time.After(100 * time.Millisecond)
				if _, err := w.Write(make([]byte, part)); err != nil {
					panic(http.ErrAbortHandler)
				}
			}
			reader.Wait()
		}, want: strings.Repeat("\x00", parts*part)}
	}
	eachExchange(t, duplex, func(t *testing.T, c honest, v variant, _ time.Duration) error {
		started := make(chan bool, 1)
		_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/other" {
				hello(w, r)
				return
			}
			started <- true
			c.h(w, r)
		}), func(s *server.Server) {
			v.configure(t, s)
			s.MaxConns, s.HTTP.ReadHeaderTimeout = 1, longest // for a busy machine
		})
		other := make(chan error, 1)
		go func() {
			<-started
			tr := v.transport()
			defer tr.CloseIdleConnections()
			other <- get(&http.Client{Transport: tr}, v.scheme+addr+"/other")
		}()
		err := c.run(v, addr)
		select { // if the request didn't get to the handler
		case started <- true:
		default:
		}
		if err2 := <-other; err2 != nil {
			return fmt.Errorf("another client: %w", err2)
		}
		return err
	})
}

// TestIdleConnectionsGiveWayFirst checks that an idle connection is closed
// before one that stalled within a request, even if it has waited for a shorter
// time.
func TestIdleConnectionsGiveWayFirst(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	s, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/upload" {
			_, err := io.Copy(io.Discard, r.Body)
			failed <- err
			return
		}
		hello(w, r)
	}), func(s *server.Server) { s.MaxConns = 2 })
	stalled := dial(t, addr)
	io.WriteString(stalled, headUpload)
	eventually(t, longest, "the first one is in", func() bool { return s.Stats().Open == 1 })
	idle := dial(t, addr)
	io.WriteString(idle, headHello)
	readResponse(t, idle)
	began := server.Pulse(s)
	eventually(t, longest, "both have waited long enough to be closed", func() bool { return server.Pulse(s)-began > 1200*time.Millisecond })
	third := dial(t, addr)
	io.WriteString(third, headHello)
	readResponse(t, third)
	idle.SetReadDeadline(time.Now().Add(longest))
	if _, err := io.Copy(io.Discard, idle); err != nil {
		t.Errorf("the idle connection: %v, want a clean end", err)
	}
	select {
	case err := <-failed:
		t.Errorf("the stalled request ended too: %v", err)
	default:
	}
	if n := s.Stats().Evicted; n != 1 {
		t.Error(fmt.Sprint(n, " connections closed to make room, want 1"))
	}
}
