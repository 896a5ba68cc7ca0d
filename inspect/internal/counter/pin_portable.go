//go:build !go1.26 || go1.28 || race || muxmaster_safe

package counter

// Add counts an event.
func (s *Set) Add(i int) { s.addShared(i, s.clock.Unix()) }
