package trie

import (
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// This file matches catch-alls inside a path: in /v2/{name...}/manifests/{ref},
// name is one or more segments, as many as possible. All routes that share such
// a catch-all share its special, so the route with the longest value wins.
//
// A pattern has one of them, so the nodes behind it have none. For each end of
// the value, each of these nodes is visited at most once. A search therefore
// takes at most as many steps as there are routes, times the path's length.

// multi tries to, which follows a catch-all whose value begins at pos, for each
// end of the value, the longest first.
func (t *Tree[P]) multi(s *Search[P], to *target[P], pos int) *Route[P] {
	n := s.n
	for end := s.multiEnd(pos); end > pos; end = pos + strings.LastIndexByte(s.path[pos:end], '/') {
		s.n = n
		s.push(pos, end)
		if rt := t.follow(s, to, end); rt != nil || s.owned {
			return rt
		}
	}
	s.n = n
	return nil
}

// multiEnd returns the end of the longest value from pos, or pos if there is
// none. No segment of the value is empty, . or .., as in [Search.fitsRest].
func (s *Search[P]) multiEnd(pos int) int {
	end := pos
	for start := pos; start < len(s.path); start = end + 1 {
		n := strings.IndexByte(s.path[start:], '/')
		if n < 0 {
			n = len(s.path) - start
		}
		if n == 0 || wirepath.DotInside(s.decoded[start:start+n]) {
			break
		}
		end = start + n
	}
	return end
}

// fitsRest reports whether the path from pos on, which is behind a slash, can be
// the value of a catch-all that ends a pattern. It looks for dots only once,
// because a catch-all inside the pattern may ask for each pos.
func (s *Search[P]) fitsRest(pos int) bool {
	if !s.connect && !s.split { // then the path is clean
		return true
	}
	if s.dots == 0 {
		s.dots = wirepath.LastDots(s.decoded)
	}
	return s.dots < pos
}
