// Command spa serves a single-page application, its API and its events: a
// counter that all open pages share.
//
//	go run ./examples/spa
package main

import (
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"sync"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/server"
)

//go:embed dist
var dist embed.FS

func main() {
	addr := flag.String("addr", "localhost:8080", "where to listen, `host:port`")
	flag.Parse()
	log.Print("open http://", *addr)
	if err := server.Run(*addr, newMux(newCounter())); err != nil {
		log.Fatal("spa: ", err)
	}
}

func newMux(c *counter) *muxmaster.Mux {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	api := muxmaster.New() // mounted, so that paths below /api are never pages
	api.Use(middleware.NoCache)
	api.GET("/count", func(w http.ResponseWriter, r *http.Request) {
		n, _ := c.value()
		body.WriteJSON(w, http.StatusOK, n)
	})
	api.POST("/count", func(w http.ResponseWriter, r *http.Request) {
		body.WriteJSON(w, http.StatusOK, c.add(1))
	})
	api.GET("/events", c.events)

	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer, http.NewCrossOriginProtection().Handler)
	mux.ServeSPA("/", files)
	mux.Mount("/api", api)
	return mux
}

// A counter is a number that reports changes. It is safe for concurrent use.
type counter struct {
	mu      sync.Mutex
	n       int
	changed chan struct{} // closed at the next change
}

func newCounter() *counter { return &counter{changed: make(chan struct{})} }

// value returns the number, and a channel that is closed when it changes.
func (c *counter) value() (int, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.changed
}

func (c *counter) add(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
	close(c.changed)
	c.changed = make(chan struct{})
	return c.n
}

// events sends the number immediately and whenever it changes, until the client
// disconnects or the server stops. The browser then reconnects.
func (c *counter) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	for {
		n, changed := c.value()
		fmt.Fprintf(w, "data: %d\n\n", n)
		if err := flush(); err != nil {
			return
		}
		select {
		case <-changed:
		case <-server.Draining(r.Context()):
			return
		case <-r.Context().Done():
			return
		}
	}
}
