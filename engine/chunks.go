package engine

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"sync"
)

// chunks reads a body with Transfer-Encoding: chunked. It uses net/http's
// decoder with a buffer of the same size, so both agree where chunks, lines and
// bodies end, even if they are malformed.
//
// The decoder reads ahead. giveBack puts the unused bytes back, because they
// belong to the next request.
type chunks struct {
	conn *conn
	req  *http.Request // gets the trailers

	br      *bufio.Reader // nil before the first read, and after the last
	decoder io.Reader
}

var chunkBuffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// read reads from the body. It returns io.EOF after it has read the trailers.
func (k *chunks) read(p []byte) (int, error) {
	if k.br == nil {
		k.br = chunkBuffers.Get().(*bufio.Reader)
		k.br.Reset(bodyInput{k.conn})
		k.decoder = httputil.NewChunkedReader(k.br)
	}
	n, err := k.decoder.Read(p)
	if err == io.EOF {
		if terr := k.readTrailers(); terr != nil {
			return n, terr
		}
		k.giveBack()
	}
	return n, err
}

// giveBack puts back the unused input and gives back the buffer.
func (k *chunks) giveBack() {
	k.req = nil // programs may retain the body for longer than the request
	if k.br == nil {
		return
	}
	rest, _ := k.br.Peek(k.br.Buffered())
	k.conn.putBack(rest)
	k.br.Reset(nil)
	chunkBuffers.Put(k.br)
	k.br, k.decoder = nil, nil
}

var (
	errTrailerEOF  = errors.New("http: unexpected EOF reading trailer")
	errTrailerLong = errors.New("http: suspiciously long trailer after chunked body")
	errTrailerMany = errors.New("message too large")
)

// readTrailers reads the trailers like body.readTrailer of net/http.
func (k *chunks) readTrailers() error {
	b, err := k.br.Peek(2)
	if string(b) == "\r\n" {
		k.br.Discard(2)
		return nil
	}
	if len(b) < 2 {
		return errTrailerEOF
	}
	if err != nil {
		return err
	}
	if !k.seesEnd() {
		return errTrailerLong
	}
	header, err := textproto.NewReader(k.br).ReadMIMEHeader()
	if err == io.EOF {
		return errTrailerEOF
	}
	if err != nil {
		return err
	}
	if limit := k.conn.server.maxTrailers; limit > 0 {
		for _, values := range header {
			limit -= len(values)
		}
		if limit < 0 {
			return errTrailerMany
		}
	}
	if k.req.Trailer == nil {
		k.req.Trailer = http.Header(header)
	} else {
		maps.Copy(k.req.Trailer, http.Header(header))
	}
	return nil
}

// seesEnd reads until the buffer contains the end of the trailers. It reports
// false if they don't fit.
func (k *chunks) seesEnd() bool {
	for size := 4; ; size++ {
		b, err := k.br.Peek(size)
		if bytes.HasSuffix(b, []byte("\r\n\r\n")) {
			return true
		}
		if err != nil {
			return false
		}
	}
}

// A bodyInput reads the input of a connection for a body.
type bodyInput struct{ conn *conn }

func (in bodyInput) Read(p []byte) (int, error) { return in.conn.readBody(p) }
