package body

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"sync"
)

var lineReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// Lines returns an iterator over the lines of r, which is usually a request
// body. The lines have no line ending (\n or \r\n), and the last line doesn't
// need one. A line is valid until the next iteration. If a line is longer than
// maxLine bytes, or if reading fails, the iterator yields a nil line and an
// *Error, with status 413 or as from WithBody, and ends. It never yields a
// truncated line. maxLine <= 0 means 64 KiB.
//
// Lines doesn't limit the length of the body. Use http.MaxBytesReader for that;
// its error becomes an *Error with status 413.
func Lines(r io.Reader, maxLine int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) { lines(r, maxLine, yield) }
}

func lines(r io.Reader, maxLine int, yield func([]byte, error) bool) {
	if maxLine <= 0 {
		maxLine = 64 << 10
	}
	maxLine = min(maxLine, math.MaxInt-1) // one more is added below
	br := lineReaders.Get().(*bufio.Reader)
	br.Reset(r)
	defer putLineReader(br)
	var long *bytes.Buffer // the beginning of a line that is longer than br's buffer
	defer func() {
		if long != nil {
			putBuffer(long)
		}
	}()
	for {
		line, err := br.ReadSlice('\n')
		if err == bufio.ErrBufferFull || long != nil && long.Len() > 0 {
			if long == nil {
				long = getBuffer()
			}
			long.Write(line)
			line = long.Bytes()
		}
		ended := err == nil
		if ended {
			line = line[:len(line)-1]
			if n := len(line); n > 0 && line[n-1] == '\r' {
				line = line[:n-1]
			}
		}
		// The last byte of an incomplete line may be the \r of a line ending.
		if n := len(line); n > maxLine+1 || n > maxLine && (ended || err == io.EOF) {
			yield(nil, &Error{
				http.StatusRequestEntityTooLarge,
				fmt.Errorf("a line of the request body is longer than %d bytes", maxLine),
				fmt.Sprintf("A line of the request body is longer than %d bytes.", maxLine),
			})
			return
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			if len(line) > 0 {
				yield(line, nil)
			}
			return
		case err != nil:
			yield(nil, readError(err))
			return
		}
		if !yield(line, nil) {
			return
		}
		if long != nil {
			long.Reset()
		}
	}
}

// putLineReader resets br and returns it to the pool, so that br doesn't keep a
// request alive or pass unread bytes to the next one.
func putLineReader(br *bufio.Reader) {
	if raceEnabled {
		br.Reset(scribbler{})
		br.Peek(br.Size())
	}
	br.Reset(nil)
	lineReaders.Put(br)
}

type scribbler struct{}

func (scribbler) Read(p []byte) (int, error) {
	scribble(p)
	return len(p), nil
}
