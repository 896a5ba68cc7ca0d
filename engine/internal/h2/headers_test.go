package h2

import (
	"context"
	"net/http"
	"testing"
)

// TestRegister checks that a stream that both sides have ended doesn't count any
// more, even if its handler hasn't continued: the client may have received the
// end, and open another stream.
func TestRegister(t *testing.T) {
	sendData := func(c *Conn, s *stream) { s.end = true; c.appendData(s) }
	receive := func(c *Conn, s *stream) { c.endReceived(s) }
	for name, ends := range map[string][]func(*Conn, *stream){
		"DATA":                      {receive, sendData},
		"DATA before the request's": {sendData, receive},
		"HEADERS":                   {receive, func(c *Conn, s *stream) { s.res.sendFields(0, true) }},
		"trailers":                  {receive, func(c *Conn, s *stream) { s.res.sendTrailers() }},
	} {
		srv := newMemoryServer(false, nil)
		srv.maxStreams = 1
		c := srv.NewConn(new(memory), &http.Request{}, context.Background())
		open := func(id uint32) (*stream, bool) {
			s := freeStreams.New().(*stream)
			s.conn, s.id = c, id
			ok, _ := c.register(s, id, "")
			return s, ok
		}
		s, _ := open(1)
		for i, end := range ends {
			if _, ok := open(uint32(2*i + 3)); ok {
				t.Errorf("%s: a second stream is accepted after %d of %d ends", name, i, len(ends))
			}
			end(c, s)
		}
		if _, ok := open(11); !ok {
			t.Errorf("%s: a stream that both sides have ended counts", name)
		}
		if c.drop(s, errClosed); c.closed != 0 {
			t.Errorf("%s: %d closed streams are left", name, c.closed)
		}
	}
}
