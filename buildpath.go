package muxmaster

import (
	"fmt"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
)

// BuildPath returns the escaped path of a pattern with the given parameter
// values. pairs alternates names and values:
//
//	BuildPath("/users/:id/posts/:post", "id", "42", "post", "a b") // /users/42/posts/a%20b
//
// The pattern matches the path, with the same values. Methods and a host in the
// pattern are ignored.
//
// BuildPath returns an error if a parameter has no value, a name is given twice
// or is not a parameter of the pattern, a value is empty, "." or "..", or a
// constraint does not match a value. It also returns an error if a segment has
// several parameters and matching the path would yield other values. The value
// of a catch-all may contain slashes, but no empty, "." or ".." segment. The
// leading slash in the value of a *name catch-all is optional.
func BuildPath(text string, pairs ...string) (string, error) {
	parse := pattern.Parse
	if strings.HasPrefix(text, "/") {
		parse = pattern.ParsePath
	}
	p, err := parse(text)
	if err != nil {
		return "", fmt.Errorf("muxmaster: BuildPath %q: %w", text, err)
	}
	path, err := trie.BuildPath(p, pairs)
	if err != nil {
		return "", fmt.Errorf("muxmaster: BuildPath %q: %w", text, err)
	}
	return path, nil
}
