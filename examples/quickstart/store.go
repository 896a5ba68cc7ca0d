package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
)

type note struct {
	ID   int      `json:"id"`
	Text string   `json:"text"`
	Tags []string `json:"tags,omitempty"`
}

// A store stores notes in memory and in a file. A change that can't be saved
// has no effect. It is safe for concurrent use.
type store struct {
	file    string
	mu      sync.Mutex
	content content
	changed chan struct{} // closed by the next change
}

type content struct { // of the file
	Last  int    `json:"last"` // the largest ID used so far
	Notes []note `json:"notes"`
}

// openStore reads a file. If the file doesn't exist, there are no notes.
func openStore(file string) (*store, error) {
	s := &store{file: file, changed: make(chan struct{})}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &s.content)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no notes: %w", file, err)
	}
	return s, nil
}

// list returns the notes with a tag, or all notes for "", and a channel that is
// closed by the next change.
func (s *store) list(tag string) ([]note, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := append([]note{}, s.content.Notes...)
	return slices.DeleteFunc(list, func(n note) bool { return tag != "" && !slices.Contains(n.Tags, tag) }), s.changed
}

func (s *store) add(n note) (note, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n.ID = s.content.Last + 1
	return n, s.save(content{n.ID, append(slices.Clone(s.content.Notes), n)})
}

func (s *store) remove(id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(s.content.Notes), func(n note) bool { return n.ID == id })
	if len(rest) == len(s.content.Notes) {
		return errNoNote
	}
	return s.save(content{s.content.Last, rest})
}

// save writes c to the file and makes it the current content. The file always
// has either the old or the new content.
func (s *store) save(c content) error {
	data, err := json.MarshalIndent(c, "", "\t")
	if err == nil {
		err = os.WriteFile(s.file+".tmp", data, 0o666)
	}
	if err == nil {
		err = os.Rename(s.file+".tmp", s.file)
	}
	if err == nil {
		close(s.changed)
		s.content, s.changed = c, make(chan struct{})
	}
	return err
}
