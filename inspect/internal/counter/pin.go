//go:build go1.26 && !go1.28 && !race && !muxmaster_safe

package counter

import _ "unsafe" // for go:linkname

// This file uses runtime.procPin and procUnpin, as internal/values does, which
// says why that is allowed. pin_portable.go is its twin for other Go releases.

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// Add counts an event.
func (s *Set) Add(i int) {
	now := s.clock.Unix()
	k := procPin()*s.stride + i
	if k < len(s.cells) {
		c := &s.cells[k]
		c.n++
		c.last = now
		procUnpin()
		return
	}
	procUnpin()
	s.addShared(i, now)
}
