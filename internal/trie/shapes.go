package trie

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// Shapes is a set of routes that finds conflicts. Two routes conflict if they
// have the same key. Each route has a value of type R.
type Shapes[R any] struct {
	routes map[Key]R
	custom map[string]int // number of routes by custom method
}

// A Key is the method and the shape of a route. It is equal for patterns that differ
// only in the names of parameters.
type Key string

// ShapeKey returns the key of a route for p and a method, or "" for every method.
func ShapeKey(p *pattern.Pattern, method string) Key {
	var buf [128]byte
	return Key(p.AppendShape(append(append(buf[:0], method...), ' ')))
}

// Find returns the route with the given key.
func (s *Shapes[R]) Find(key Key) (r R, ok bool) {
	r, ok = s.routes[key]
	return r, ok
}

// Add adds a route, whose key the set doesn't have.
func (s *Shapes[R]) Add(key Key, method string, r R) {
	if s.routes == nil {
		s.routes, s.custom = map[Key]R{}, map[string]int{}
	}
	if standardMethod(method) == unknown {
		s.custom[method]++
	}
	s.routes[key] = r
}

// Len returns the number of routes.
func (s *Shapes[R]) Len() int { return len(s.routes) }

// Clone returns a copy.
func (s *Shapes[R]) Clone() Shapes[R] {
	return Shapes[R]{maps.Clone(s.routes), maps.Clone(s.custom)}
}

// Remove removes the route with the given key and method, which the set has.
func (s *Shapes[R]) Remove(key Key, method string) {
	delete(s.routes, key)
	if s.custom[method]--; s.custom[method] <= 0 {
		delete(s.custom, method)
	}
}

// Room returns an error if a Builder could not hold these methods in addition to
// those of the routes.
func (s *Shapes[R]) Room(methods []string) error {
	more := 0
	for i, m := range methods {
		if standardMethod(m) == unknown && s.custom[m] == 0 && !slices.Contains(methods[:i], m) {
			more++
		}
	}
	if more > 0 && len(s.custom)+more > MaxCustom {
		return fmt.Errorf("too many custom methods (limit %d)", MaxCustom)
	}
	return nil
}
