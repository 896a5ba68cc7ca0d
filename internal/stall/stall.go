// Package stall detects peers that send or receive too slowly, for the server
// and the client. While one side waits for the other, at least Bytes must be
// transferred in each period of waiting time. Time between the waits does not
// count.
package stall

import (
	"net"
	"time"
)

// Bytes is the number of bytes to transfer in each period.
const Bytes = 4 << 10

// A Clock measures the waiting time in one direction. The zero value is ready
// to use. It is not safe for concurrent use.
type Clock struct {
	waited time.Duration // waiting time since the last Bytes bytes
	moved  int64         // bytes transferred in that time
}

// Left returns how long the next operation may wait if limit is the period. It
// is at least a millisecond, so that an operation that doesn't need to wait
// succeeds.
func (c *Clock) Left(limit time.Duration) time.Duration {
	return max(limit-c.waited, time.Millisecond)
}

// Add records an operation that waited for d and transferred n bytes.
func (c *Clock) Add(d time.Duration, n int64) {
	c.waited += d
	c.moved += n
	if c.moved >= Bytes {
		*c = Clock{}
	}
}

// Waited returns the waiting time since the last Bytes bytes.
func (c *Clock) Waited() time.Duration { return c.waited }

// Conn returns the connection of type C inside nc, which may be a TLS
// connection. It returns the zero value, nil, if there is none.
func Conn[C net.Conn](nc net.Conn) (none C) {
	for {
		switch c := nc.(type) {
		case C:
			return c
		case interface{ NetConn() net.Conn }:
			nc = c.NetConn()
		default:
			return none
		}
	}
}
