package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

type note struct {
	ID   int      `json:"id"`
	Text string   `json:"text"`
	Tags []string `json:"tags,omitempty"`
}

var errNoNote = &problem.Error{Status: http.StatusNotFound, Detail: "There is no such note."}

// A store stores notes in memory and in a file. It writes each change to the
// file before it is visible in memory; a change that can't be saved has no
// effect. It is safe for concurrent use.
type store struct {
	file string

	mu      sync.RWMutex
	state   state
	changed chan struct{} // closed by the next change; nil if nobody waits
}

// state is the content of the file.
type state struct {
	Last  int    `json:"last"`  // the largest ID used so far
	Notes []note `json:"notes"` // by ID
}

// openStore reads a file. If the file doesn't exist, there are no notes.
func openStore(file string) (*store, error) {
	s := &store{file: file}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &s.state); err != nil {
		return nil, fmt.Errorf("%s holds no notes: %w", file, err)
	}
	return s, nil
}

// list returns the notes with a tag, or all notes for "".
func (s *store) list(tag string) []note {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := []note{}
	for _, n := range s.state.Notes {
		if tag == "" || slices.Contains(n.Tags, tag) {
			list = append(list, n)
		}
	}
	return list
}

func (s *store) get(id int) (note, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i, ok := s.state.find(id); ok {
		return s.state.Notes[i], nil
	}
	return note{}, errNoNote
}

func (s *store) add(n note) (note, error) {
	err := s.change(func(st *state) error {
		st.Last++
		n.ID = st.Last
		st.Notes = append(st.Notes, n)
		return nil
	})
	return n, err
}

func (s *store) replace(n note) (note, error) {
	err := s.change(func(st *state) error {
		i, ok := st.find(n.ID)
		if !ok {
			return errNoNote
		}
		st.Notes[i] = n
		return nil
	})
	return n, err
}

func (s *store) remove(id int) error {
	return s.change(func(st *state) error {
		i, ok := st.find(id)
		if !ok {
			return errNoNote
		}
		st.Notes = slices.Delete(st.Notes, i, i+1)
		return nil
	})
}

func (st *state) find(id int) (int, bool) {
	return slices.BinarySearchFunc(st.Notes, id, func(n note, id int) int { return n.ID - id })
}

// change applies f to a copy of the state, saves the copy and makes it the
// current state.
func (s *store) change(f func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := state{s.state.Last, slices.Clone(s.state.Notes)}
	if err := f(&next); err != nil {
		return err
	}
	data, err := json.MarshalIndent(next, "", "\t")
	if err != nil {
		return err
	}
	if err := writeFile(s.file, append(data, '\n')); err != nil {
		return err
	}
	s.state = next
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
	return nil
}

// changes returns a channel that is closed by the next change.
func (s *store) changes() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// writeFile replaces a file atomically. Even after a crash, the file has either
// the old or the new content.
func writeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails if the file was renamed
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
