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

	"github.com/seed-1954dcaa/muxmaster"
)

type note struct {
	ID   int      `json:"id"`
	Text string   `json:"text"`
	Tags []string `json:"tags,omitempty"`
}

var errNoNote = muxmaster.NewHTTPError(http.StatusNotFound, errors.New("there is no such note"))

// A store keeps notes in memory and in a file. Each change is in the file
// before it is seen in memory; a change that cannot be saved has not happened.
// It may be used by many goroutines at once.
type store struct {
	file string

	mu      sync.RWMutex
	state   state
	changed chan struct{} // closed by the next change; nil while nobody waits
}

// state is what the file holds.
type state struct {
	Last  int    `json:"last"`  // the greatest ID ever given
	Notes []note `json:"notes"` // by ID
}

// openStore reads a file; one that does not exist has no notes.
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

// list returns the notes with a tag, all of them for "".
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

// change applies f to a copy of the state, saves that and puts it in place.
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

// writeFile replaces a file as a whole: whoever reads it, also after a crash,
// finds the old content or the new one.
func writeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once the file has its name
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
