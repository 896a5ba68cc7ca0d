package server_test

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
)

// The tests write HTTP/2 frames themselves (RFC 9113), because net/http has no
// misbehaving client.

const (
	frameData         = 0x0
	frameHeaders      = 0x1
	frameRSTStream    = 0x3
	frameSettings     = 0x4
	framePing         = 0x6
	frameWindowUpdate = 0x8
	frameContinuation = 0x9

	flagEndStream  = 0x1
	flagEndHeaders = 0x4
)

const clientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Header blocks of static HPACK entries: GET or POST http://x/ (RFC 7541).
const (
	headersGET  = "\x82\x86\x84\x41\x01x"
	headersPOST = "\x83\x86\x84\x41\x01x"
)

// frame returns one HTTP/2 frame.
func frame(kind, flags byte, stream uint32, payload string) string {
	b := make([]byte, 9, 9+len(payload))
	b[0], b[1], b[2] = byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload))
	b[3], b[4] = kind, flags
	binary.BigEndian.PutUint32(b[5:], stream)
	return string(append(b, payload...))
}

// settings returns a SETTINGS frame with SETTINGS_INITIAL_WINDOW_SIZE, the
// number of bytes that the server may send on a stream.
func settings(window uint32) string {
	return frame(frameSettings, 0, 0, string(binary.BigEndian.AppendUint32([]byte{0, 4}, window)))
}

// dialHTTP2 opens an HTTP/2 connection without TLS, sends the preface and a
// window for responses, and discards everything it receives. ended is closed
// when the connection ends.
func dialHTTP2(t *testing.T, addr string, window uint32) (c net.Conn, ended chan struct{}) {
	t.Helper()
	c = dial(t, addr)
	if _, err := io.WriteString(c, clientPreface+settings(window)); err != nil {
		t.Fatal(err)
	}
	ended = make(chan struct{})
	go func() { io.Copy(io.Discard, c); close(ended) }()
	return c, ended
}
