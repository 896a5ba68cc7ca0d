package server

import (
	"cmp"
	"slices"
	"time"
)

// When MaxConns is reached and somebody waits for a place, a connection that is
// waiting for its peer is closed. A connection whose handler is at work never
// is, so a client can lose a request only if it has stalled in the middle of
// it.

// patience is how long a connection must have been waiting for its peer before
// it may be closed in favor of a new one. With less, clients would often send
// their next request over a closed connection.
const patience = time.Second

// scanPeriod is the shortest time between two scans of all connections, so that
// the cost doesn't grow with the number of new ones.
const scanPeriod = 50 * time.Millisecond

// victims are the connections that waited for their peer at the last scan.
type victims struct {
	scanned time.Time
	list    []victim // first is the next to be closed
}

type victim struct {
	conn   *conn
	idle   bool // closing it cuts off no request
	waited time.Duration
}

// evict closes the connection that has been waiting for its peer for longest:
// one without a request if there is one, else one that has stalled inside a
// request. It reports whether it has closed one.
func (l *listener) evict() bool {
	now := time.Now()
	if len(l.victims.list) == 0 && now.Sub(l.victims.scanned) >= scanPeriod {
		l.victims = victims{now, l.scan(now)}
	}
	for len(l.victims.list) > 0 {
		v := l.victims.list[0]
		l.victims.list = l.victims.list[1:]
		// It may have closed since the scan, or received a request.
		if waited, idle := v.conn.activity.waited(now); waited < patience || v.idle && !idle || !l.has(v.conn) {
			continue
		}
		l.evicted.Add(1)
		v.conn.Close()
		return true
	}
	return false
}

// scan returns the connections that may be closed, the next one first.
func (l *listener) scan(now time.Time) (list []victim) {
	l.mu.Lock()
	for c := range l.conns {
		if waited, idle := c.activity.waited(now); waited >= patience {
			list = append(list, victim{c, idle, waited})
		}
	}
	l.mu.Unlock()
	slices.SortFunc(list, func(a, b victim) int {
		if a.idle != b.idle {
			if a.idle {
				return -1
			}
			return +1
		}
		return cmp.Compare(b.waited, a.waited)
	})
	return list
}

func (l *listener) has(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.conns[c]
	return ok
}
