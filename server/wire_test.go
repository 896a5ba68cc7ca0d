package server_test

import (
	"bufio"
	"net"
	"net/http"
	"testing"
	"time"
)

// readResponse reads the head of one response whose body is "hello" or empty.
func readResponse(t *testing.T, c net.Conn) *http.Response {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(longest))
	defer c.SetReadDeadline(time.Time{})
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("no response: %v", err)
	}
	return resp
}
