//go:build !amd64

package values

import "sync/atomic"

// release sets *busy to 0 after all earlier writes.
func release(busy *uint32) { atomic.StoreUint32(busy, 0) }
