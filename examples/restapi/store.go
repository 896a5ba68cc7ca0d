package main

import (
	"cmp"
	"slices"
	"sync"
)

// A store keeps books in memory. It is safe for concurrent use.
type store struct {
	mu    sync.Mutex
	books []book // sorted by ID
	last  int    // last ID
}

func (s *store) find(id int) (int, bool) {
	return slices.BinarySearchFunc(s.books, id, func(b book, id int) int { return cmp.Compare(b.ID, id) })
}

// list returns up to limit books whose ID is greater than after, and whether
// there are more.
func (s *store) list(after, limit int) (books []book, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := s.find(after)
	if found {
		i++
	}
	rest := s.books[i:]
	n := min(limit, len(rest))
	return append([]book{}, rest[:n]...), len(rest) > n
}

func (s *store) get(id int) (book, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := s.find(id)
	if !found {
		return book{}, false
	}
	return s.books[i], true
}

// add adds b with a new ID.
func (s *store) add(b book) book {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	b.ID = s.last
	s.books = append(s.books, b)
	return b
}

func (s *store) replace(b book) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := s.find(b.ID)
	if found {
		s.books[i] = b
	}
	return found
}

func (s *store) remove(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := s.find(id)
	if found {
		s.books = slices.Delete(s.books, i, i+1)
	}
	return found
}
