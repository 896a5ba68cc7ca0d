package engine

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// TestWatcher checks that the watcher doesn't run for requests that wait for the
// rest of their body, and that it nevertheless watches the client once the body
// was read.
func TestWatcher(t *testing.T) {
	const count = 20
	for name, framing := range map[string]string{
		"length":  "Content-Length: 5\r\n\r\nhe|llo",
		"chunked": "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n|0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			started, ended := make(chan bool, count), make(chan bool, count)
			s := New(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				done := r.Context().Done()
				started <- true
				io.Copy(io.Discard, r.Body)
				<-done
				ended <- true
			})})
			addr := start(t, s)
			var clients []io.WriteCloser
			head, rest, _ := strings.Cut(framing, "|")
			for range count {
				c := dial(t, addr)
				clients = append(clients, c)
				fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: h\r\n%s", head)
				eventually(t, "the handler starts", started)
			}
			steady.Until(t, 10*time.Second, "the watcher doesn't run while all requests wait for their body", func() bool {
				s.watcher.mu.Lock()
				defer s.watcher.mu.Unlock()
				return !s.watcher.running
			})
			for _, c := range clients {
				io.WriteString(c, rest)
				c.Close()
				eventually(t, "the context ends", ended)
			}
		})
	}
}
