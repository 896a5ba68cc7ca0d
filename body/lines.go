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

// Lines ranges over the lines of r, which is usually a request body: each
// without its end (\n or \r\n), the last one also if it has none. The slice is
// valid until the next turn of the loop. A line of more than maxLine bytes, or
// a failing read, ends the loop with a nil line and an *Error (413 or as
// WithBody's); no line is ever cut short. Leaving the loop early, by break or
// panic, is fine. maxLine <= 0 means 64 KiB.
//
// Lines limits one line, not the body: http.MaxBytesReader limits that, and
// its error arrives here as 413.
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
		// Before its end has come, the last byte may still be the \r of it.
		if n := len(line); n > maxLine+1 || n > maxLine && (ended || line[n-1] != '\r' || err == io.EOF) {
			yield(nil, &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("a line is longer than %d bytes", maxLine)})
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

// putLineReader gives br back without its source and without unread bytes, so
// that it can neither keep a request alive nor start the next body with them.
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
