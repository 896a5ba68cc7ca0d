package engine

import (
	"sync"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/request"
)

// A requestContext is the context of a request. It ends when the handler
// returns, the client disconnects, or the connection's context ends.
//
// Only if the program waits for that, and the request runs for some time, is
// the connection watched (see watcher).
type requestContext struct {
	request.Context
	conn    *conn
	body    *body // nil if the request has none
	res     *response
	gen     uint64 // of res, while this request's handler runs
	pending uint8  // how often the watcher may still try to send earlier responses, which res holds

	mu    sync.Mutex // guards watch
	watch clientWatch
}

// newContext returns the context of the next request.
func (c *conn) newContext() *requestContext {
	x := &requestContext{conn: c}
	x.Context.Context = c.connCtx
	x.Follower = x
	return x
}

// Follow is called when the program first waits for the context to end.
func (x *requestContext) Follow() { x.conn.server.watcher.add(x) }
