//go:build !race

package values

// occupy sets *busy to 1. Only goroutines that are pinned to the same P call it
// for the same Buffer.
func occupy(busy *uint32) { *busy = 1 }

// release sets *busy to 0 after all earlier writes. On amd64, any store does
// that. An atomic store would also wait until the other processors can see it,
// which would double the time of Borrow and Return together.
func release(busy *uint32) { *busy = 0 }
