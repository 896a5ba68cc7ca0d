package trietest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// An End is what follows the segments of a route.
type End int

const (
	Exact End = iota // nothing
	Slash            // a slash
	All              // a slash and the rest
)

// A Route is a route of the reference.
type Route struct {
	Method    string // "" for every one
	Host      string // "" for every one
	Segs      []Segment
	End       End
	Ending    string // the end in pattern syntax
	Named     bool   // the rest is a value
	RestSlash bool   // that value begins with a slash
	Verb      bool   // registered with a verb method
	// Later orders routes for the same path and method. The lowest number has
	// precedence.
	Later int
}

// Path returns the path in pattern syntax.
func (rt Route) Path() string {
	var b strings.Builder
	for i, s := range rt.Segs {
		b.WriteString("/" + strings.ReplaceAll(s.Written, "#", fmt.Sprint(i)))
	}
	return b.String() + rt.Ending
}

// Pattern returns the route in pattern syntax.
func (rt Route) Pattern() string {
	if rt.Method == "" {
		return rt.Host + rt.Path()
	}
	return rt.Method + " " + rt.Host + rt.Path()
}

// Shape returns a key for the path, without the names of its parameters.
func (rt Route) Shape() string { return fmt.Sprint(rt.shape(len(rt.Segs)), rt.End) }

// shape is Shape for the first n segments.
func (rt Route) shape(n int) string {
	var b strings.Builder
	for _, s := range rt.Segs[:n] {
		for _, p := range s.Parts {
			fmt.Fprintf(&b, "%q %v %q %v,", p.Text, p.Param, p.Expr, p.Multi)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Conflicts reports whether both routes match the same requests.
func (rt Route) Conflicts(other Route) bool {
	return hostShape(rt.Host) == hostShape(other.Host) && rt.Method == other.Method && rt.Shape() == other.Shape()
}

// Serving returns how rt serves the method: 0 for its own method, 1 for HEAD
// with GET, 2 if it is for every method, -1 if it doesn't.
func (rt Route) Serving(method string) int {
	switch rt.Method {
	case method:
		return 0
	case "":
		return 2
	case "GET":
		if method == "HEAD" {
			return 1
		}
	}
	return -1
}

// Matches reports whether rt matches the path.
func (rt Route) Matches(p Path) bool {
	_, ok := rt.read(p)
	return ok
}

// read reports whether rt matches the path, and returns the path with one
// element for each segment of rt: it joins the segments that are the value of a
// catch-all inside the path. They are as many as possible.
func (rt Route) read(p Path) (read Path, ok bool) {
	i := slices.IndexFunc(rt.Segs, Segment.IsMulti)
	if i < 0 {
		return p, rt.matches(p)
	}
	for n := len(p) - i; n > 0; n-- {
		value := p[i : i+n]
		if !rt.begin(i+1, p[i+n:]) { // saves time
			continue
		}
		read = slices.Concat(p[:i], Path{strings.Join(value, "/")}, p[i+n:])
		if !slices.Contains(value, "") && rt.matches(read) {
			return read, true
		}
	}
	return nil, false
}

// begin reports whether the path begins with the segments of rt from index i on,
// and can end there as rt does.
func (rt Route) begin(i int, p Path) bool {
	segs := rt.Segs[i:]
	if len(p) < len(segs) || rt.End == Exact && len(p) != len(segs) || rt.End == Slash && len(p) != len(segs)+1 {
		return false
	}
	for k, seg := range segs {
		if !seg.Matches(p[k]) {
			return false
		}
	}
	return true
}

// matches is Matches for a path that has one element for each segment.
func (rt Route) matches(p Path) bool {
	n := len(rt.Segs)
	switch rt.End {
	case Exact:
		if len(p) != n {
			return false
		}
	case Slash:
		if len(p) != n+1 || !p.Slashed() {
			return false
		}
	case All:
		// No rest has a dot segment, not even between slashes that came escaped.
		if len(p) <= n || hasDots(strings.Split(strings.Join(p[n:], "/"), "/")) {
			return false
		}
	}
	for i, seg := range rt.Segs {
		if !seg.Matches(p[i]) {
			return false
		}
	}
	return true
}

func hasDots(segs []string) bool { return slices.Contains(segs, ".") || slices.Contains(segs, "..") }

// Whole reports whether rt, which matches the slashed path, matches it with an
// empty rest or without one.
func (rt Route) Whole(p Path) bool {
	read, _ := rt.read(p)
	return rt.End != All || len(read) == len(rt.Segs)+1
}

// Holds reports whether rt matches the host and the path with the values vals.
func (rt Route) Holds(host string, p Path, vals []string) bool {
	hostVals, ok := HostValues(rt.Host, host)
	if !ok || len(vals) < len(hostVals) || !slices.Equal(vals[:len(hostVals)], hostVals) {
		return false
	}
	vals = vals[len(hostVals):]
	if p, ok = rt.read(p); !ok {
		return false
	}
	for i, seg := range rt.Segs {
		n := seg.params()
		if len(vals) < n || !seg.Holds(p[i], vals[:n]) {
			return false
		}
		vals = vals[n:]
	}
	if rt.Named {
		rest := strings.Join(p[len(rt.Segs):], "/")
		if rt.RestSlash {
			rest = "/" + rest
		}
		return len(vals) == 1 && vals[0] == rest
	}
	return len(vals) == 0
}

// A Path is a path split at its slashes, each segment decoded. The last one is
// empty if the path ends with a slash.
type Path []string

// SplitPath splits an escaped path.
func SplitPath(escaped string) Path {
	var p Path
	for _, s := range strings.Split(strings.TrimPrefix(escaped, "/"), "/") {
		text, err := url.PathUnescape(s)
		if err != nil {
			text = s
		}
		p = append(p, text)
	}
	return p
}

// Slashed reports whether the path ends with a slash.
func (p Path) Slashed() bool { return p[len(p)-1] == "" }

// AddSlash returns the path with a slash at its end.
func (p Path) AddSlash() Path { return append(slices.Clone(p), "") }

// TrimSlash returns the slashed path without its last slash.
func (p Path) TrimSlash() Path { return p[:len(p)-1] }

// Clean reports whether the path has no segment that cleaning would remove.
func (p Path) Clean() bool {
	for i, s := range p {
		if s == "" && i < len(p)-1 || s == "." || s == ".." {
			return false
		}
	}
	return true
}

// CleanPath returns the escaped path without its empty, . and .. segments.
func CleanPath(escaped string) string {
	var kept []string
	segs := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	for _, s := range segs {
		switch text, _ := url.PathUnescape(s); text {
		case "", ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, s)
		}
	}
	clean := "/" + strings.Join(kept, "/")
	if segs[len(segs)-1] == "" && clean != "/" {
		clean += "/"
	}
	return clean
}
