package server

import (
	"cmp"
	"slices"
	"time"
)

// When MaxConns is reached and a new connection arrives, the server closes a
// connection that is waiting for its peer. It never closes one whose handler is
// working, so only requests whose client has stalled are aborted.

// patience is how long a connection must have been waiting for its peer before
// it may be closed. If it were shorter, clients would often send requests on
// closed connections.
const patience = time.Second

// scanPeriod is the minimum time between two scans of all connections, to limit
// the cost.
const scanPeriod = 50 * time.Millisecond

// victims are the connections that may be closed, according to the last scan.
type victims struct {
	scanned time.Time
	list    []victim // in the order in which to close them
}

type victim struct {
	conn   *conn
	idle   bool // it has no request in progress
	waited time.Duration
}

// evict closes the connection that has been waiting for its peer the longest.
// It prefers idle connections over those that stalled within a request. It
// reports whether it closed one.
func (l *listener) evict() bool {
	now := time.Now()
	// An older list would be out of date: those that have served a request since
	// then could have waited for patience again.
	if age := now.Sub(l.victims.scanned); age >= patience/2 || age >= scanPeriod && len(l.victims.list) == 0 {
		l.prune()
		l.victims = victims{now, l.scan()}
	}
	for len(l.victims.list) > 0 {
		v := l.victims.list[0]
		l.victims.list = l.victims.list[1:]
		// Since the scan, it may have been closed or have received a request,
		// whose response the client may still receive.
		if waited, idle := v.conn.waited(); waited < patience || v.idle && !idle || !l.has(v.conn) {
			continue
		}
		if _, receives := v.conn.receives(); receives {
			continue
		}
		l.evicted.Add(1)
		v.conn.Close()
		return true
	}
	return false
}

// scan returns the connections that may be closed, in the order in which to
// close them.
func (l *listener) scan() (list []victim) {
	l.mu.Lock()
	for c := range l.conns {
		if waited, idle := c.waited(); waited >= patience {
			if unsent, receives := c.receives(); !receives {
				list = append(list, victim{c, idle && unsent == 0, waited})
			}
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
