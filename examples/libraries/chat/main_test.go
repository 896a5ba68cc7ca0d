package main

import (
	"io"
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
	// A member has joined when it receives its own message.
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
	for { // a may have joined before or after that
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
	send(other, "elsewhere", other) // receives only its own message
	for _, c := range []*websocket.Conn{a, b, other} {
		c.Close(websocket.StatusNormalClosure, "")
	}
}

// TestPage checks that the first page redirects to a room.
func TestPage(t *testing.T) {
	srv := httptest.NewServer(newMux())
	defer srv.Close()
	res, err := http.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.Request.URL.Path != "/rooms/go" || !strings.Contains(string(text), "WebSocket") {
		t.Errorf("at %s, %v: %s", res.Request.URL, err, text)
	}
}

// TestOrigin checks that a page of another site can't connect.
func TestOrigin(t *testing.T) {
	srv := httptest.NewServer(newMux())
	defer srv.Close()
	_, resp, err := websocket.Dial(t.Context(), srv.URL+"/rooms/go/socket", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}})
	if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("got %v, %v; want 403", resp, err)
	}
}
