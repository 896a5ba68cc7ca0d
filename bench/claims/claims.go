// Package claims holds fourteen claims about net/http's performance, as a well-known page makes them, each with the code it
// calls slow (before), the code it calls fast (after) and, where this project has one, the way that is offered instead
// (ours). All of it runs against real servers over the loopback interface, and, where the claim is about a handler alone,
// also without a connection.
package claims

import "fmt"

// A Claim is one of the fourteen.
type Claim struct {
	Number int
	Title  string
	Page   float64 // how many times faster the page says that after is
	Ours   string  // what this project offers; empty: nothing, because nothing is needed

	// Why explains the outcome in one line. What it says of times, garbage and connections it takes from the rows, one for
	// each case, so that it is true of another outcome too; the rest is about code that is there to be read.
	Why func(rows []Row) string

	// Conns is set where the claim's premise is that the code before opens a connection for each request. The premise is
	// checked by counting.
	Conns bool

	// Cases are what is measured, the page's own scenario first. The verdict is about that one.
	Cases []Case
}

// A Case is one scenario of a claim.
type Case struct {
	Name string
	// Open starts what the case needs; w closes it.
	Open func(w *World) Sides
}

// Sides are the ways to do it. Each does its thing so many times over and panics if it doesn't succeed. Ours may be nil.
type Sides struct {
	Before, After, Ours func(times int)

	// Held, if set, is what counts instead of time: how many connections an attack holds in the end.
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

// verdict judges a measured ratio by the page's. Half of the claimed gain counts as holding: the machines differ.
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

// faster says what a ratio of times means for who does it the other way.
func faster(ratio float64) string {
	switch {
	case ratio >= 1.15:
		return times3(ratio) + " as fast"
	case ratio > 1/1.15:
		return "as fast as before"
	}
	return times3(1/ratio) + " as slow"
}

// garbageSaved says how much memory each operation allocates before and after.
func garbageSaved(row Row) string {
	return fmt.Sprintf("%s B of garbage before, %s after", grouped(int64(row.Before.Bytes+0.5)), grouped(int64(row.After.Bytes+0.5)))
}

// must ends a measurement whose subject has failed: its time would mean nothing.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("claims: %v", err))
	}
}

func must1[T any](v T, err error) T { must(err); return v }
