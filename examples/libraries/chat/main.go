// Command chat has rooms in which everyone gets what the others send, over
// websockets.
//
//	go run ./chat
package main

import (
	"context"
	_ "embed"
	"log"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/server"
)

//go:embed page.html
var page []byte

func main() {
	log.Print("open http://localhost:8080/rooms/go")
	if err := server.Run("localhost:8080", newMux()); err != nil {
		log.Fatal("chat: ", err)
	}
}

func newMux() *muxmaster.Mux {
	c := &chat{rooms: map[string]map[*member]bool{}}
	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer)
	mux.Method("GET", "/", http.RedirectHandler("/rooms/go", http.StatusSeeOther))
	mux.GET("/rooms/:room", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page)
	})
	mux.GET("/rooms/:room/socket", c.socket)
	return mux
}

// A chat contains the members of all rooms.
type chat struct {
	mu    sync.Mutex
	rooms map[string]map[*member]bool
}

// A member is a connection to a room.
type member struct {
	messages chan []byte // to send
	tooSlow  context.CancelFunc
}

// socket serves a connection until it is closed.
func (c *chat) socket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil) // from the same origin only
	if err != nil {
		return // Accept has responded
	}
	defer conn.CloseNow()
	conn.SetReadLimit(4 << 10)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()

	room := r.PathValue("room")
	m := &member{make(chan []byte, 16), cancel}
	c.enter(room, m)
	defer c.leave(room, m)

	var sending sync.WaitGroup
	defer sending.Wait() // nothing outlives the handler
	defer cancel()
	sending.Go(func() {
		defer cancel()
		for {
			select {
			case text := <-m.messages:
				wait, done := context.WithTimeout(ctx, 10*time.Second)
				err := conn.Write(wait, websocket.MessageText, text)
				done()
				if err != nil {
					return
				}
			case <-server.Draining(r.Context()):
				conn.Close(websocket.StatusGoingAway, "the server stops")
				return
			case <-ctx.Done():
				return
			}
		}
	})
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return
		}
		c.send(room, text)
	}
}

func (c *chat) enter(room string, m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rooms[room] == nil {
		c.rooms[room] = map[*member]bool{}
	}
	c.rooms[room][m] = true
}

func (c *chat) leave(room string, m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.rooms[room], m)
	if len(c.rooms[room]) == 0 {
		delete(c.rooms, room)
	}
}

// send sends text to everyone in the room. It drops members that don't read.
func (c *chat) send(room string, text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for m := range c.rooms[room] {
		select {
		case m.messages <- text:
		default:
			m.tooSlow()
		}
	}
}
