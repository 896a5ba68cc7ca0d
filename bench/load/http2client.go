package load

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// This file is a load generator for HTTP/2. It costs less than an HTTP client,
// so that the server is what limits the load: it encodes a request once, and
// doesn't decode the fields of responses. It checks their status, their bodies
// and how they end.

// An http2Client is a connection with several requests at a time.
type http2Client struct {
	link
	br      *bufio.Reader
	bw      *bufio.Writer
	framer  *http2.Framer
	fields  []byte // a request's, all of them in the server's table
	body    []byte
	want    []byte
	streams map[uint32]*exchange
	spare   []*exchange
	next    uint32 // identifier of the next stream
	limit   uint32 // of streams at a time, the server's
	window  int64  // bytes of bodies that the server accepts
	unread  uint32 // bytes received since the last WINDOW_UPDATE
}

// An exchange is a request and the part of its response that has arrived.
type exchange struct {
	sent time.Time
	ok   bool // the status is 200
	got  int  // bytes of the body
}

const (
	clientStreamWindow = 1 << 20
	clientWindow       = 1 << 24
	// The static table's index of ":status: 200" (RFC 7541 appendix A), with
	// which all servers begin.
	status200 = 0x80 | 8
)

// newHTTP2Client connects and sends one request, with which the server's table
// gets the fields of all.
func newHTTP2Client(addr string, c Case) (connection, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if c.Protocol == H2TLS {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	}
	cl := &http2Client{link: link{conn: conn}, br: bufio.NewReaderSize(conn, 64<<10), bw: bufio.NewWriterSize(conn, 64<<10), next: 1,
		streams: make(map[uint32]*exchange), body: []byte(c.body()), want: []byte(c.want()), window: 1<<16 - 1}
	cl.framer = http2.NewFramer(cl.bw, cl.br)
	cl.framer.SetReuseFrames()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	if err := cl.begin(c); err != nil {
		conn.Close()
		return nil, err
	}
	return cl, nil
}

func (cl *http2Client) begin(c Case) error {
	cl.bw.WriteString(http2.ClientPreface)
	cl.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: clientStreamWindow})
	cl.framer.WriteWindowUpdate(0, clientWindow-(1<<16-1))
	if err := cl.bw.Flush(); err != nil {
		return err
	}
	for cl.limit == 0 { // until its SETTINGS
		if _, err := cl.frame(); err != nil {
			return err
		}
	}
	if cl.limit < uint32(c.Streams) {
		return fmt.Errorf("the server allows %d streams", cl.limit)
	}
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	for range 2 { // the second time, all fields are in the table
		if cl.fields != nil {
			if err := cl.exchange(1, noMore); err != nil {
				return err
			}
		}
		block.Reset()
		for _, f := range c.fields() {
			enc.WriteField(f)
		}
		cl.fields = bytes.Clone(block.Bytes())
	}
	cl.took = nil
	return nil
}

// fields returns the fields of the case's requests.
func (c Case) fields() (list []hpack.HeaderField) {
	add := func(name, value string) { list = append(list, hpack.HeaderField{Name: name, Value: value}) }
	scheme := "http"
	if c.Protocol == H2TLS {
		scheme = "https"
	}
	add(":method", c.method())
	add(":scheme", scheme)
	add(":path", c.Path)
	add(":authority", "localhost")
	if c.Browser {
		for line := range bytes.Lines([]byte(browserHeaders + "Cookie: session=0123456789abcdef; theme=dark\r\n")) {
			name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
			if string(name) != "Connection" {
				add(string(bytes.ToLower(name)), string(value))
			}
		}
	}
	switch body := c.body(); {
	case c.isRPC():
		add("content-type", "application/grpc")
		add("te", "trailers")
	case body != "":
		add("content-length", strconv.Itoa(len(body)))
	}
	return list
}

// send writes a request to the buffer, which keeps an error for Flush.
func (cl *http2Client) send() {
	var x *exchange
	if n := len(cl.spare); n > 0 {
		x, cl.spare = cl.spare[n-1], cl.spare[:n-1]
	} else {
		x = new(exchange)
	}
	*x = exchange{sent: time.Now()}
	cl.streams[cl.next] = x
	cl.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: cl.next, BlockFragment: cl.fields, EndHeaders: true, EndStream: len(cl.body) == 0})
	if len(cl.body) > 0 {
		cl.window -= int64(len(cl.body))
		cl.framer.WriteData(cl.next, true, cl.body)
	}
	cl.next += 2
}

// exchange sends n requests, and another one for each response while more
// returns true. It returns when all are answered.
func (cl *http2Client) exchange(n int, more func() bool) error {
	for {
		for ; n > 0 && cl.window >= int64(len(cl.body)); n-- {
			cl.send()
		}
		if !cl.hasFrame() {
			if err := cl.bw.Flush(); err != nil {
				return err
			}
		}
		if n == 0 && len(cl.streams) == 0 {
			return nil
		}
		ended, err := cl.frame()
		if err != nil {
			return err
		}
		if ended && more() {
			n++
		}
	}
}

// hasFrame reports whether the next frame has arrived.
func (cl *http2Client) hasFrame() bool {
	const head = 9
	if cl.br.Buffered() < head {
		return false
	}
	b, _ := cl.br.Peek(head)
	return cl.br.Buffered() >= head+(int(b[0])<<16|int(b[1])<<8|int(b[2]))
}

var errResponse = errors.New("a wrong response")

// frame reads a frame. It reports whether the frame ends a response.
func (cl *http2Client) frame() (ended bool, err error) {
	frame, err := cl.framer.ReadFrame()
	if err != nil {
		return false, err
	}
	id := frame.Header().StreamID
	x := cl.streams[id]
	switch f := frame.(type) {
	case *http2.HeadersFrame:
		if x == nil || !f.HeadersEnded() {
			return false, errResponse
		}
		if !x.ok { // otherwise these are trailers
			if b := f.HeaderBlockFragment(); len(b) == 0 || b[0] != status200 {
				return false, fmt.Errorf("%w: its fields begin with %.8x, want the status 200", errResponse, b)
			}
			x.ok = true
		}
		ended = f.StreamEnded()
	case *http2.DataFrame:
		if err := cl.data(x, f); err != nil {
			return false, err
		}
		ended = f.StreamEnded()
	case *http2.SettingsFrame:
		return false, cl.settings(f)
	case *http2.WindowUpdateFrame:
		if id == 0 {
			cl.window += int64(f.Increment)
		}
	case *http2.PingFrame:
		if !f.IsAck() {
			cl.framer.WritePing(true, f.Data)
		}
	case *http2.RSTStreamFrame:
		return false, fmt.Errorf("the server has reset a stream: %v", f.ErrCode)
	case *http2.GoAwayFrame:
		return false, fmt.Errorf("the server goes away: %v %q", f.ErrCode, f.DebugData())
	}
	if !ended {
		return false, nil
	}
	if x.got != len(cl.want) {
		return false, fmt.Errorf("%w: %d bytes, want %d", errResponse, x.got, len(cl.want))
	}
	cl.took = append(cl.took, time.Since(x.sent))
	delete(cl.streams, id)
	cl.spare = append(cl.spare, x)
	return true, nil
}

func (cl *http2Client) data(x *exchange, f *http2.DataFrame) error {
	b := f.Data()
	if x == nil || !x.ok || !bytes.HasPrefix(cl.want[x.got:], b) {
		return fmt.Errorf("%w: body %.40q", errResponse, b)
	}
	x.got += len(b)
	if cl.unread += f.Length; cl.unread > clientWindow/4 {
		cl.framer.WriteWindowUpdate(0, cl.unread)
		cl.unread = 0
	}
	return nil
}

func (cl *http2Client) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if cl.limit == 0 {
		cl.limit = 1<<31 - 1
	}
	if v, ok := f.Value(http2.SettingMaxConcurrentStreams); ok {
		cl.limit = v
	}
	if err := cl.framer.WriteSettingsAck(); err != nil {
		return err
	}
	return cl.bw.Flush()
}
