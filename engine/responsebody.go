package engine

import (
	"net/http"
	"strconv"
)

// Buffer sizes of net/http. They determine whether a response is chunked and
// where its chunks end, so the engine's responses are byte for byte the same.
const (
	stageSize  = 2 << 10
	outputSize = 4 << 10
)

// Write implements Write and WriteString.
func (r *response) Write(p []byte, s string) (int, error) {
	length := len(p) + len(s)
	if r.Hijacked {
		if length > 0 {
			r.misuse("Write on hijacked connection")
		}
		return 0, http.ErrHijacked
	}
	r.noContinue(true)
	if !r.WroteHeader {
		r.writeHeader(http.StatusOK)
	}
	if length == 0 {
		return 0, nil
	}
	if err := r.Count(length); err != nil {
		return 0, err
	}
	if r.werr != nil {
		return 0, r.werr
	}
	if len(s) > 0 {
		return r.stageString(s)
	}
	return r.stageBytes(p)
}

// stageBytes appends p to the stage, like bufio.Writer.Write with a buffer of
// stageSize.
func (r *response) stageBytes(p []byte) (total int, err error) {
	if r.stage == nil {
		r.stage = make([]byte, 0, stageSize)
	}
	for len(p) > stageSize-len(r.stage) {
		var n int
		if len(r.stage) == 0 {
			n, err = r.chunk(p)
		} else {
			n = stageSize - len(r.stage)
			r.stage = append(r.stage, p[:n]...)
			err = r.flushStage()
		}
		total += n
		p = p[n:]
		if err != nil {
			return total, err
		}
	}
	r.stage = append(r.stage, p...)
	return total + len(p), nil
}

// stageString appends s to the stage, like bufio.Writer.WriteString.
func (r *response) stageString(s string) (total int, err error) {
	if r.stage == nil {
		r.stage = make([]byte, 0, stageSize)
	}
	for len(s) > stageSize-len(r.stage) {
		n := stageSize - len(r.stage)
		r.stage = append(r.stage, s[:n]...)
		total += n
		s = s[n:]
		if err := r.flushStage(); err != nil {
			return total, err
		}
	}
	r.stage = append(r.stage, s...)
	return total + len(s), nil
}

func (r *response) flushStage() error {
	if len(r.stage) == 0 {
		return nil
	}
	_, err := r.chunk(r.stage)
	r.stage = r.stage[:0]
	return err
}

// chunk writes a part of the body, after the head if that isn't written yet.
func (r *response) chunk(p []byte) (int, error) {
	if !r.SentHead {
		r.sendHead(p)
	}
	if r.IsHEAD {
		return len(p), nil
	}
	if r.chunking {
		r.out = strconv.AppendUint(r.out, uint64(len(p)), 16)
		r.out = append(r.out, "\r\n"...)
	}
	n, err := r.output(p)
	if r.chunking && err == nil {
		r.out = append(r.out, "\r\n"...)
	}
	if err != nil {
		r.conn.nc.Close()
	}
	return n, err
}

// output appends p to out, or writes both to the connection if p doesn't fit.
func (r *response) output(p []byte) (int, error) {
	if r.werr != nil {
		return 0, r.werr
	}
	if len(r.out)+len(p) <= outputSize {
		r.out = append(r.out, p...)
		return len(p), nil
	}
	if err := r.flushOut(); err != nil {
		return 0, err
	}
	if len(p) <= outputSize/2 {
		r.out = append(r.out, p...)
		return len(p), nil
	}
	n, err := r.conn.write(p)
	r.failed(err)
	return n, err
}

// flushOut writes out to the connection, and empties it even after an error.
func (r *response) flushOut() error {
	if r.werr != nil || len(r.out) == 0 {
		r.out = r.out[:0]
		return r.werr
	}
	_, err := r.conn.write(r.out)
	r.out = r.out[:0]
	r.failed(err)
	return err
}

// failed records the first write error. The client can't receive a response any
// more, so failed also cancels the context.
func (r *response) failed(err error) {
	if err != nil && r.werr == nil {
		r.werr = err
		r.ctx.ClientLeft()
	}
}
