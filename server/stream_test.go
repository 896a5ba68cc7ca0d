package server_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestStallTimersAndHandlersThatEnd connects clients that stall and disconnect
// around StallTimeout, so that stall timers fire when handlers end. A timer
// that uses a stream after its handler has returned would dereference nil
// inside net/http, which would crash this process.
func TestStallTimersAndHandlersThatEnd(t *testing.T) {
	const stall = 20 * time.Millisecond
	const streams, rounds, conns = 100, 20, 4
	var handlers sync.WaitGroup
	_, addr, stop := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers.Add(1)
		defer handlers.Done()
		if r.Method == "POST" {
			io.Copy(io.Discard, r.Body)
			return
		}
		for p := strings.Repeat("a", 64<<10); ; {
			if _, err := io.WriteString(w, p); err != nil {
				return
			}
		}
	}), func(s *server.Server) {
		http2c.configure(t, s)
		s.StallTimeout = stall
	})
	var clients sync.WaitGroup
	for range conns {
		clients.Go(func() {
			c, ended := dialHTTP2(t, addr, 0)
			id := uint32(1)
			for range rounds {
				var open, hangUp strings.Builder
				for i := range streams {
					if i%2 == 0 {
						open.WriteString(frame(frameHeaders, flagEndHeaders|flagEndStream, id, headersGET))
					} else {
						open.WriteString(frame(frameHeaders, flagEndHeaders, id, headersPOST))
					}
					hangUp.WriteString(frame(frameRSTStream, 0, id, "\x00\x00\x00\x08"))
					id += 2
				}
				io.WriteString(c, open.String())
				<-time.After(stall - time.Millisecond + rand.N(2*time.Millisecond))
				io.WriteString(c, hangUp.String())
			}
			c.Close()
			<-ended
		})
	}
	clients.Wait()
	if err := stop(); err != nil {
		t.Error(err)
	}
	handlers.Wait()
}
