package muxmaster

import "sync"

// A bundle is what routing a request needs and the next one can use again: the
// search, and room for the values that it finds. Without the pool all of it would
// be made for every request.
type bundle struct {
	search
	vals []string
	ps   Params
}

var bundles = sync.Pool{New: func() any { return new(bundle) }}

// values returns room for n values.
func (b *bundle) values(n int) []string {
	if n > cap(b.vals) {
		b.vals = make([]string, max(n, 4))
	}
	b.vals = b.vals[:n]
	return b.vals
}

// params returns room for n Params.
func (b *bundle) params(n int) Params {
	if n > cap(b.ps) {
		b.ps = make(Params, max(n, 4))
	}
	b.ps = b.ps[:n]
	return b.ps
}

// release gives the bundle back. It is emptied first: it must not keep paths
// alive. It is so from the end, because the race detector is to see who still
// reads a value, and does not see the clear that other loops are compiled to.
func (b *bundle) release() {
	for i := len(b.vals) - 1; i >= 0; i-- {
		b.vals[i] = ""
	}
	for i := len(b.ps) - 1; i >= 0; i-- {
		b.ps[i] = Param{}
	}
	b.path = ""
	if b.slash != nil || b.raw || b.text != "" {
		b.slash, b.raw, b.text = nil, false, ""
	}
	bundles.Put(b)
}
