package muxmaster

import "sync"

// A bundle is what routing a request needs and the next one can use again: the
// search, and room for the values that it finds. Without the pool all of it would
// be made for every request.
type bundle struct {
	search
	ps Params
}

var bundles = sync.Pool{New: func() any {
	b := new(bundle)
	b.grow(fewValues)
	return b
}}

// fewValues is how many values there is room for at least.
const fewValues = 8

// bundle returns one with room for the values of any route.
func (l *routing) bundle() *bundle {
	b := bundles.Get().(*bundle)
	l.fit(b)
	return b
}

// fit makes room in b for the values of any route. What b holds is lost.
func (l *routing) fit(b *bundle) {
	if l.most > len(b.vals) {
		b.grow(l.most)
	}
}

// grow makes room for n values.
func (b *bundle) grow(n int) { b.vals, b.ps = make([]string, n), make(Params, n) }

// release gives the bundle back. It is emptied first: it must not keep paths
// alive. It is so from the end, because the race detector is to see who still
// reads a value, and does not see the clear that other loops are compiled to.
func (b *bundle) release() {
	n := b.n
	if b.path != "" {
		n = len(b.vals)
		b.path, b.text, b.raw, b.slash = "", "", false, nil
	}
	for i := n - 1; i >= 0; i-- {
		if b.vals[i] != "" {
			b.vals[i], b.ps[i].Value = "", ""
		}
	}
	b.n = 0
	bundles.Put(b)
}
