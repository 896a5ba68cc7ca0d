package body

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync"
)

var lineReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// Lines returns an iterator over the lines of r, which is usually a request
// body. Lines come without their end (\n or \r\n), and the last one needs
// none. The slice is valid until the next iteration. A line longer than
// maxLine bytes, or a failed read, ends the loop with a nil line and an
// *Error: 413, or as from WithBody. No line is ever cut short. The loop may be
// left early, by break or panic. maxLine <= 0 means 64 KiB.
//
// Lines limits one line, not the body. Use http.MaxBytesReader for that; its
// error becomes an *Error with status 413.
func Lines(r io.Reader, maxLine int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) { lines(r, maxLine, yield) }
}

func lines(r io.Reader, maxLine int, yield func([]byte, error) bool) {
	if maxLine <= 0 {
		maxLine = 64 << 10
	}
	br := lineReaders.Get().(*bufio.Reader)
	br.Reset(r)
	defer putLineReader(br)
	var long *bytes.Buffer // the start of a line that did not fit br
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
		// The last byte of a line that hasn't ended may be the \r of its end.
		if n := len(line); n > maxLine+1 || n > maxLine && (ended || line[n-1] != '\r' || err == io.EOF) {
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

// putLineReader returns br to the pool without its source and its unread bytes,
// so that it keeps no request alive and doesn't start the next body with them.
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
