package engine

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// keyUpdate returns the record of a client that asks the server for new keys
// (RFC 8446 section 4.6.3), which package crypto/tls can't do. keys is the key
// log of a connection on which the client has sent n records of data.
func keyUpdate(t *testing.T, keys string, n byte) []byte {
	_, line, _ := strings.Cut(keys, "CLIENT_TRAFFIC_SECRET_0 ")
	secret, err := hex.DecodeString(strings.Fields(line)[1])
	if err != nil {
		t.Fatal(err)
	}
	expand := func(label string, n int) []byte { // section 7.1
		label = "tls13 " + label
		b, err := hkdf.Expand(sha256.New, secret, string([]byte{0, byte(n), byte(len(label))})+label+"\x00", n)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	block, err := aes.NewCipher(expand("key", 16))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	const handshake, data = 22, 23
	nonce := expand("iv", aead.NonceSize())
	nonce[len(nonce)-1] ^= n
	message := []byte{24, 0, 0, 1, 1, handshake}
	head := []byte{data, 3, 3, 0, byte(len(message) + aead.Overhead())}
	return aead.Seal(head, nonce, message, head)
}

// A stuckConn is a connection whose writes wait for a client that doesn't read.
type stuckConn struct {
	net.Conn
	stuck   *atomic.Bool
	reached chan bool // gets a value when a write begins to wait
	once    sync.Once
	over    chan bool // closed when writes fail
}

func (c *stuckConn) Write(p []byte) (int, error) {
	if !c.stuck.Load() {
		return c.Conn.Write(p)
	}
	select {
	case c.reached <- true:
	default:
	}
	<-c.over
	return 0, os.ErrDeadlineExceeded
}

func (c *stuckConn) SetWriteDeadline(t time.Time) error {
	if c.stuck.Load() && !t.IsZero() && time.Until(t) <= 0 {
		c.once.Do(func() { close(c.over) })
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *stuckConn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

func (c *stuckConn) Close() error {
	c.once.Do(func() { close(c.over) })
	return c.Conn.Close()
}

// TestKeyUpdate ends connections over TLS whose Read waits to write, because the
// client asks for new keys and reads nothing.
func TestKeyUpdate(t *testing.T) {
	const ping = "\x00\x00\x08\x06\x00\x00\x00\x00\x00received"
	for protocol, data := range map[string]string{
		"http/1.1": "GET /received HTTP/1.1\r\nHost: h\r\n\r\n",
		"h2":       clientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00" + ping,
	} {
		for by, end := range map[string]func(s *Server) error{
			"a timeout": func(*Server) error { return nil },
			"Shutdown":  func(s *Server) error { return s.Shutdown(context.Background()) },
			"Close":     (*Server).Close,
		} {
			t.Run(protocol+", by "+by, func(t *testing.T) {
				t.Parallel()
				closed, ended := make(chan bool, 1), make(chan error, 1)
				srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.WriteString(w, r.URL.Path)
				}), ConnState: func(_ net.Conn, state http.ConnState) {
					if state == http.StateClosed {
						closed <- true
					}
				}}
				if by == "a timeout" {
					srv.IdleTimeout = 2 * time.Second
				}
				var client *tls.Config
				srv.TLSConfig, client = certificate(t)
				s := New(quiet(srv))
				defer s.Close()
				var stuck atomic.Bool
				reached := make(chan bool, 1)
				ln := wrapper{onFreePort(t), func(nc net.Conn) net.Conn {
					return &stuckConn{Conn: nc, stuck: &stuck, reached: reached, over: make(chan bool)}
				}}
				go s.ServeTLS(ln, "", "")

				var keys strings.Builder
				client.NextProtos, client.ServerName, client.KeyLogWriter = []string{protocol}, "example.com", &keys
				nc := dial(t, ln.Addr().String())
				c := tls.Client(nc, client)
				io.WriteString(c, data)
				for got, b := "", make([]byte, 1000); !strings.Contains(got, "received"); {
					n, err := c.Read(b)
					if got += string(b[:n]); err != nil {
						t.Fatal(err)
					}
				}
				if c.ConnectionState().CipherSuite != tls.TLS_AES_128_GCM_SHA256 {
					t.Skip("the test encrypts with AES-GCM, which this machine has no instructions for, so that crypto/tls prefers another cipher")
				}
				stuck.Store(true)
				nc.Write(keyUpdate(t, keys.String(), 1))
				eventually(t, "a write that waits", reached)
				go func() { ended <- end(s) }()
				if err := eventually(t, "the end of "+by, ended); err != nil {
					t.Error(err)
				}
				eventually(t, "the end of the connection", closed)
			})
		}
	}
}
