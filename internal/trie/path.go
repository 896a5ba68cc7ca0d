package trie

import "github.com/seed-1954dcaa/muxmaster/internal/wirepath"

// This file prepares the path of a search.

// SetPath sets the path to find a route for. path and raw are the fields Path
// and RawPath of the request's URL: raw is the escaped path as sent by the
// client, or "" if it is the default encoding of path. connect is true for
// CONNECT requests, whose paths are matched without cleaning.
//
// Segments end at the slashes of raw; an escaped slash (%2F) does not end a
// segment. In s.path, each escaped slash is replaced by wirepath.Slash. raw is
// used even if URL.EscapedPath would ignore it, because it contains, for
// example, quotes, braces or bytes above 0x7F.
func (s *Search[P]) SetPath(path, raw string, connect bool) {
	s.path, s.split, s.decoded, s.text, s.connect, s.Clean = path, false, path, path, connect, true
	if raw != "" {
		if split, ok := wirepath.Split(path, raw); ok {
			s.path, s.split = split, true
		}
	}
	if !connect {
		s.Clean = s.Rooted() && !unclean(s.path)
	}
}

// Rooted reports whether the path begins with a slash. Other paths match no
// route.
func (s *Search[P]) Rooted() bool { return s.path != "" && s.path[0] == '/' }

// TrimSlash removes a trailing slash from the path. It reports false if there is
// none, or if the path is "/".
func (s *Search[P]) TrimSlash() bool {
	n := len(s.path) - 1
	if n < 1 || s.path[n] != '/' {
		return false
	}
	s.path, s.decoded = s.path[:n], s.decoded[:n]
	return true
}
