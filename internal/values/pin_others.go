//go:build !amd64 || race

package values

import "sync/atomic"

// occupy sets *busy to 1.
func occupy(busy *uint32) { atomic.StoreUint32(busy, 1) }

// release sets *busy to 0 after all earlier writes.
func release(busy *uint32) { atomic.StoreUint32(busy, 0) }
