// Package claims measures fourteen claims of a well-known page about net/http's
// performance. Each has the code that the page calls slow (before), the code
// that it calls fast (after) and, if there is one, this project's own way
// (ours). Everything runs against real servers on the loopback interface;
// claims about a handler also run without a connection.
package claims

import (
	"fmt"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
)

// A Claim is one of the fourteen.
type Claim struct {
	Number int
	Title  string
	Page   float64 // how many times faster the page says that after is
	Ours   string  // what this project offers; empty: nothing, because nothing is needed

	// Why explains the outcome in one line. It takes times, garbage and
	// connections from the rows, one for each case, so it stays true when the
	// outcome changes.
	Why func(rows []Row) string

	// Conns is set if the claim's premise is that the code before opens a
	// connection for each request. They are counted.
	Conns bool

	// Cases are measured, the page's own scenario first. The verdict is about
	// that one.
	Cases []Case
}

// A Case is one scenario of a claim.
type Case struct {
	Name string
	// Open starts what the case needs; w closes it.
	Open func(w *World) Sides
}

// Sides are the ways to do it. Each does it the given number of times and
// panics if it fails. Ours may be nil.
type Sides struct {
	Before, After, Ours func(times int)

	// Held, if set, counts instead of time: how many connections an attack
	// holds at the end.
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

// verdict judges a measured ratio by the page's. Half of the claimed gain
// counts as holding: the machines differ.
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

// faster puts a ratio of times into words.
func faster(ratio float64) string {
	switch {
	case ratio >= 1.15:
		return figure.Times(ratio) + " as fast"
	case ratio > 1/1.15:
		return "as fast as before"
	}
	return figure.Times(1/ratio) + " as slow"
}

// garbageSaved says how much memory each operation allocates before and after.
func garbageSaved(row Row) string {
	return fmt.Sprintf("%s B of garbage before, %s after", figure.Count(row.Before.Bytes), figure.Count(row.After.Bytes))
}

// must ends a measurement whose subject has failed; its time would mean
// nothing.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("claims: %v", err))
	}
}

func must1[T any](v T, err error) T { must(err); return v }
