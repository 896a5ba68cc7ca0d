package load

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// A generator is a source of load for one server, over connections that stay
// open from round to round.
type generator struct {
	c           Case
	connections []connection
}

// A connection sends requests and checks the responses.
type connection interface {
	// exchange sends n requests at a time, and another one for each response
	// while more returns true. It returns when all are answered.
	exchange(n int, more func() bool) error
	state() *link
}

// A link is the part of a connection that doesn't depend on the protocol.
type link struct {
	conn net.Conn
	took []time.Duration // of each request in this round, or of each batch
}

func (l *link) state() *link { return l }

func noMore() bool { return false }

func dial(addr string, c Case) (*generator, error) {
	connect := newClient
	if c.Protocol != HTTP1 {
		connect = newHTTP2Client
	}
	g := &generator{c: c}
	for range c.Connections {
		conn, err := connect(addr, c)
		if err != nil {
			g.close()
			return nil, err
		}
		g.connections = append(g.connections, conn)
	}
	return g, nil
}

func (g *generator) close() {
	for _, c := range g.connections {
		c.state().conn.Close()
	}
}

// round loads the server for the time p.Round, or with about p.Requests
// requests if that isn't 0.
func (g *generator) round(ctx context.Context, p Plan) (requests int, r Round, err error) {
	begin := time.Now()
	for _, c := range g.connections {
		l := c.state()
		l.took = l.took[:0]
		l.conn.SetDeadline(begin.Add(p.Round + 30*time.Second))
	}
	if g.c.PerSecond > 0 {
		err = g.paced(ctx, begin, p)
	} else {
		err = g.closedLoop(ctx, begin, p)
	}
	took := time.Since(begin)
	var all []time.Duration
	for _, c := range g.connections {
		all = append(all, c.state().took...)
	}
	if err == nil {
		err = ctx.Err()
	}
	requests = len(all) * max(1, g.c.Pipeline)
	if err != nil || requests == 0 {
		return requests, r, err
	}
	slices.Sort(all)
	return requests, Round{PerSecond: float64(requests) / took.Seconds(), P50: all[len(all)/2], P99: all[len(all)*99/100]}, nil
}

// closedLoop keeps all connections busy.
func (g *generator) closedLoop(ctx context.Context, begin time.Time, p Plan) error {
	errs := make([]error, len(g.connections))
	atOnce := max(1, g.c.Streams)
	var wg sync.WaitGroup
	for i, c := range g.connections {
		wg.Go(func() {
			left := max(p.Requests/(len(g.connections)*max(1, g.c.Pipeline))-atOnce, 0)
			errs[i] = c.exchange(atOnce, func() bool {
				left--
				return ctx.Err() == nil && (left >= 0 || p.Requests == 0 && time.Since(begin) < p.Round)
			})
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// paced sends requests one at a time, at a constant rate, over one connection
// after the other. Waiting for the next one, it doesn't sleep: that would take
// up to a millisecond.
func (g *generator) paced(ctx context.Context, begin time.Time, p Plan) error {
	period := time.Second / time.Duration(g.c.PerSecond)
	next := begin
	for n := 0; ctx.Err() == nil && (p.Requests > 0 && n < p.Requests || p.Requests == 0 && next.Sub(begin) < p.Round); n++ {
		for time.Now().Before(next) {
		}
		if err := g.connections[n%len(g.connections)].exchange(1, noMore); err != nil {
			return err
		}
		next = next.Add(period)
	}
	return nil
}
