package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func dial(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return conn
}

func TestRooms(t *testing.T) {
	srv := httptest.NewServer(newMux())
	defer srv.Close()
	a, b, other := dial(t, srv.URL+"/rooms/go/socket"), dial(t, srv.URL+"/rooms/go/socket"), dial(t, srv.URL+"/rooms/rust/socket")
	// A room knows its members once they hear themselves.
	send := func(from *websocket.Conn, text string, to ...*websocket.Conn) {
		t.Helper()
		if err := from.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		for _, conn := range to {
			if _, got, err := conn.Read(t.Context()); err != nil || string(got) != text {
				t.Fatalf("got %q, %v; want %q", got, err, text)
			}
		}
	}
	send(b, "I am here", b)
	for { // a may have entered before that or after
		if err := a.Write(t.Context(), websocket.MessageText, []byte("so am I")); err != nil {
			t.Fatal(err)
		}
		_, got, err := a.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if string(got) == "so am I" {
			break
		}
	}
	if _, got, err := b.Read(t.Context()); err != nil || string(got) != "so am I" {
		t.Fatalf("got %q, %v", got, err)
	}
	send(other, "elsewhere", other) // and nothing else
	for _, c := range []*websocket.Conn{a, b, other} {
		c.Close(websocket.StatusNormalClosure, "")
	}
}

// A page of another site can't connect.
func TestOrigin(t *testing.T) {
	srv := httptest.NewServer(newMux())
	defer srv.Close()
	_, resp, err := websocket.Dial(t.Context(), srv.URL+"/rooms/go/socket", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}})
	if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("got %v, %v; want 403", resp, err)
	}
}

func TestPage(t *testing.T) {
	w := httptest.NewRecorder()
	newMux().ServeHTTP(w, httptest.NewRequest("GET", "/rooms/go", nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), "WebSocket") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
