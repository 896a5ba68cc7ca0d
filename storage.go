package muxmaster

import "sync"

// Storage for path values that is used again when a handler has returned. There
// is a pool for each of three sizes, so that a request holds little more than it
// needs; a route with more values has its own made.

type valueBundle struct{ vals []string }

type paramBundle struct{ ps Params }

var bundleSizes = [...]int{4, 16, 64}

var (
	valuePools [len(bundleSizes)]sync.Pool
	paramPools [len(bundleSizes)]sync.Pool
)

func sizeClass(n int) int {
	switch {
	case n <= bundleSizes[0]:
		return 0
	case n <= bundleSizes[1]:
		return 1
	}
	return 2
}

// getValues returns room for n values.
func getValues(n int) *valueBundle {
	c := sizeClass(n)
	if b, ok := valuePools[c].Get().(*valueBundle); ok && n <= cap(b.vals) {
		b.vals = b.vals[:n]
		return b
	}
	return &valueBundle{make([]string, n, max(n, bundleSizes[c]))}
}

// release gives the room back. It is emptied first: it must not keep paths alive.
func (b *valueBundle) release() {
	clear(b.vals)
	valuePools[sizeClass(len(b.vals))].Put(b)
}

// getParams returns room for n Params.
func getParams(n int) *paramBundle {
	c := sizeClass(n)
	if b, ok := paramPools[c].Get().(*paramBundle); ok && n <= cap(b.ps) {
		b.ps = b.ps[:n]
		return b
	}
	return &paramBundle{make(Params, n, max(n, bundleSizes[c]))}
}

func (b *paramBundle) release() {
	clear(b.ps)
	paramPools[sizeClass(len(b.ps))].Put(b)
}
