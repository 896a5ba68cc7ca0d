// Package claims measures fourteen claims of a well-known page about net/http's
// performance. Each has the code that the page calls slow (before), the code
// that it calls fast (after) and, if there is one, this project's solution
// (ours). All run with real servers on the loopback interface; claims about
// handlers are also measured without a connection.
package claims

import (
	"fmt"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
)

// A Claim is one of the fourteen.
type Claim struct {
	Number int
	Title  string
	Page   float64 // speedup from before to after, according to the page
	Ours   string  // what this project offers; empty if nothing is needed

	// Why explains the result in one line. It takes all times, bytes and
	// connection counts from the rows, one row per case, so it remains correct
	// if the results change.
	Why func(rows []Row) string

	// Conns is set if the premise of the claim is that the code before opens a
	// connection for each request. The measurement then counts connections.
	Conns bool

	// Cases are the measured cases. The first is the page's own scenario, which
	// determines the verdict.
	Cases []Case
}

// A Case is one scenario of a claim.
type Case struct {
	Name string
	// Open starts the servers and clients of the case; w closes them.
	Open func(w *World) Sides
}

// Sides are the implementations to compare. Each runs the given number of times
// and panics if it fails. Ours may be nil.
type Sides struct {
	Before, After, Ours func(times int)

	// Held, if not nil, is used instead of times. It returns how many connections
	// an attack holds at the end.
	Held func() (before, after, ours int)
}

// All returns the claims in the page's order.
func All() []Claim {
	return []Claim{
		perCallClient(), readAllProxy(), idleConns(), encoder(), bodyBuffer(), routing(), headerLiteral(),
		lineReader(), idleTimeout(), tlsPerRequest(), dumpRequest(), drain(), readHeaderTimeout(), requestID(),
	}
}

// The verdicts.
const (
	Holds        = "holds"
	Direction    = "holds in direction"
	DoesNotHold  = "does not hold"
	PremiseFalse = "premise false"
)

// verdict compares a measured ratio with the page's. A claim holds if at least
// half of its gain is measured, because the machines differ.
func verdict(page, measured float64, premise bool) string {
	switch {
	case !premise:
		return PremiseFalse
	case measured-1 >= (page-1)/2:
		return Holds
	case measured >= 1.15:
		return Direction
	}
	return DoesNotHold
}

// faster describes a ratio of times in words.
func faster(ratio float64) string {
	switch {
	case ratio >= 1.15:
		return figure.Times(ratio) + " as fast"
	case ratio > 1/1.15:
		return "as fast as before"
	}
	return figure.Times(1/ratio) + " as slow"
}

// garbageSaved describes how much memory each operation allocates before and
// after.
func garbageSaved(row Row) string {
	return fmt.Sprintf("%s B of garbage before, %s after", figure.Count(row.Before.Bytes), figure.Count(row.After.Bytes))
}

// must panics if err isn't nil, because the time of a failed operation is
// meaningless.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("claims: %v", err))
	}
}

func must1[T any](v T, err error) T { must(err); return v }
