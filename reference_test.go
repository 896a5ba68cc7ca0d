package muxmaster_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// This file and the next are the router a second time, without a thought for
// speed: a list of routes, each compared with the whole request. FuzzMatch compares
// the real router with it. It knows no pattern syntax; routes are put together from
// the parts below, which say what they mean. Here is which route matches which
// path; reference_mux_test.go says which of several wins, and what is answered
// where none does.

// A refPart is literal text or a parameter.
type refPart struct {
	text  string
	param bool
	expr  string
}

// A refSeg is a segment as it is written, with # for the number that makes
// parameter names differ, and what it means.
type refSeg struct {
	written string
	parts   []refPart
}

var param = refPart{param: true}

func expr(e string) refPart    { return refPart{param: true, expr: e} }
func text(s string) refPart    { return refPart{text: s} }
func lit(s string) refSeg      { return refSeg{s, []refPart{text(s)}} }
func (s refSeg) literal() bool { return len(s.parts) == 1 && !s.parts[0].param }

var refSegs = []refSeg{
	lit("a"), lit("b"), lit("ab"), lit("1"), lit("..."), lit("a.b"), lit("12345678"), lit("123456789abcdef0"), lit("longer-than-sixteen-bytes"),
	{"a%2Fb", []refPart{text("a/b")}},
	{"%FF", []refPart{text("\xff")}},
	{"a%2Fb|", []refPart{text("a/b|")}},
	{"{p#}", []refPart{param}},
	{":p#", []refPart{param}},
	{"{p#:[0-9]+}", []refPart{expr("[0-9]+")}},
	{"{p#:[ab]+}", []refPart{expr("[ab]+")}},
	{"{p#:a|b.*}", []refPart{expr("a|b.*")}},
	{"a{p#}", []refPart{text("a"), param}},
	{"a:p#", []refPart{text("a"), param}},
	{"{p#}b", []refPart{param, text("b")}},
	{"a{p#}b", []refPart{text("a"), param, text("b")}},
	{"{p#}.{q#}", []refPart{param, text("."), param}},
	{"{p#}.{q#}.{r#}", []refPart{param, text("."), param, text("."), param}},
	{"{p#:[ab]+}b", []refPart{expr("[ab]+"), text("b")}},
	{"{p#:[a.]+}b", []refPart{expr("[a.]+"), text("b")}},
	{"{p#:[0-9.]+}.{q#}", []refPart{expr("[0-9.]+"), text("."), param}},
}

var refPathSegs = []string{
	"a", "b", "ab", "1", "12", "1.2", "aab", "abb", "a.b", "a.b.c", "a..b", "a...b", "...", "....", "a.", "a..", ".b", "..b", ".", "..", "%2e", ".%2E", "",
	"a%2Fb", "%2F", "a%2F", "..%2Fb", "a%2F%2e%2Fb", "b%2F...", "%FF", "a%FFb", "%61", "x", "12345678", "1234567", "123456789abcdef0", "longer-than-sixteen-bytes", "longer-THAN-sixteen-bytes", "1.2.b", "%25", "a%20b", "%00",
	"a%2Fb|", "a|b", "b\\%2F", "a\"", "%61^", "a`%2F..", "\xff", "a\xc3%2F", "{%2F}", "<",
}

// fits returns the path segments that the segment matches.
func (s refSeg) fits() (list []string) {
	for _, p := range refPathSegs {
		if d, err := url.PathUnescape(p); err == nil && splits(s.parts, d) {
			list = append(list, p)
		}
	}
	return list
}

const (
	refExact = iota // nothing follows the segments
	refSlash        // a slash
	refAll          // a slash and the rest
)

// A refRoute is a route of the reference.
type refRoute struct {
	method string // "": every
	host   string
	segs   []refSeg
	end    int
	ending string // how the end is written
	named  bool   // the rest is a value,
	slash  bool   // which begins with a slash
	verb   bool   // registered with a verb method
	later  int    // orders routes of one path that serve a method alike; see fuzz_scopes_test.go
}

func (rt refRoute) path() string {
	var b strings.Builder
	for i, s := range rt.segs {
		b.WriteString("/" + strings.ReplaceAll(s.written, "#", fmt.Sprint(i)))
	}
	return b.String() + rt.ending
}

func (rt refRoute) pattern() string {
	if rt.method == "" {
		return rt.host + rt.path()
	}
	return rt.method + " " + rt.host + rt.path()
}

// shape is the first n segments without names; of all of them and the end if n
// is negative.
func (rt refRoute) shape(n int) string {
	if n < 0 {
		return fmt.Sprint(rt.shape(len(rt.segs)), rt.end)
	}
	var b strings.Builder
	for _, s := range rt.segs[:n] {
		for _, p := range s.parts {
			fmt.Fprintf(&b, "%q %v %q,", p.text, p.param, p.expr)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (rt refRoute) conflicts(other refRoute) bool {
	return hostShape(rt.host) == hostShape(other.host) && rt.method == other.method && rt.shape(-1) == other.shape(-1)
}

// hostShape is a host as it is written without its parameters' names.
func hostShape(host string) string {
	return regexp.MustCompile(`\{[a-z]+`).ReplaceAllString(host, "{")
}

// hostValues returns the values with which a route's host matches a request's: a
// label {h} one of its labels, a first label {h...} one or more.
func hostValues(written, host string) (vals []string, ok bool) {
	if written == "" {
		return nil, true
	}
	host, _, _ = strings.Cut(host, ":")
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	want := strings.Split(written, ".")
	if strings.HasPrefix(written, "{h...}") {
		want = strings.Split(strings.TrimPrefix(written, "{h...}."), ".")
		n := len(labels) - len(want)
		if n < 1 || slices.Contains(labels[:n], "") {
			return nil, false
		}
		vals, labels = []string{strings.Join(labels[:n], ".")}, labels[n:]
	}
	if len(labels) != len(want) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case w[0] != '{' && w != labels[i], labels[i] == "":
			return nil, false
		case w[0] == '{':
			vals = append(vals, labels[i])
		}
	}
	return vals, true
}

// hostRank orders hosts, the first to be tried first: one without parameters, then
// those with more literal labels, then none.
func hostRank(written string) int {
	switch {
	case written == "":
		return 1 << 10
	case !strings.Contains(written, "{"):
		return 0
	}
	literal := 0
	for _, w := range strings.Split(strings.ReplaceAll(written, "{h...}", "{h}"), ".") {
		if w[0] != '{' {
			literal++
		}
	}
	return 1<<9 - literal
}

// A refPath is a path split at its slashes, each segment decoded.
type refPath []string

func splitPath(escaped string) refPath {
	var p refPath
	for _, s := range strings.Split(strings.TrimPrefix(escaped, "/"), "/") {
		d, err := url.PathUnescape(s)
		if err != nil {
			d = s
		}
		p = append(p, d)
	}
	return p
}

func (p refPath) slashed() bool  { return p[len(p)-1] == "" }
func (p refPath) add() refPath   { return append(slices.Clone(p), "") }
func (p refPath) strip() refPath { return p[:len(p)-1] }

func (p refPath) clean() bool {
	for i, s := range p {
		if s == "" && i < len(p)-1 || s == "." || s == ".." {
			return false
		}
	}
	return true
}

// cleanEscaped is the escaped path without its empty and dot segments.
func cleanEscaped(escaped string) string {
	var out []string
	segs := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	for _, s := range segs {
		switch d, _ := url.PathUnescape(s); d {
		case "", ".":
		case "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, s)
		}
	}
	clean := "/" + strings.Join(out, "/")
	if segs[len(segs)-1] == "" && clean != "/" {
		clean += "/"
	}
	return clean
}

// refValue reports whether a parameter may have the value, whatever the method.
func refValue(s string) bool { return s != "" && s != "." && s != ".." }

// splits reports whether the parts can be read in s.
func splits(parts []refPart, s string) bool {
	if len(parts) == 0 {
		return s == ""
	}
	p := parts[0]
	if !p.param {
		return strings.HasPrefix(s, p.text) && splits(parts[1:], s[len(p.text):])
	}
	for n := 1; n <= len(s); n++ {
		if refValue(s[:n]) && p.accepts(s[:n]) && splits(parts[1:], s[n:]) {
			return true
		}
	}
	return false
}

var compiled = map[string]*regexp.Regexp{}

func (p refPart) accepts(s string) bool {
	if p.expr == "" {
		return true
	}
	re := compiled[p.expr]
	if re == nil {
		re = regexp.MustCompile(`\A(?:` + p.expr + `)\z`)
		compiled[p.expr] = re
	}
	return re.MatchString(s)
}

// matches reports whether rt matches the path.
func (rt refRoute) matches(p refPath) bool {
	n := len(rt.segs)
	switch rt.end {
	case refExact:
		if len(p) != n {
			return false
		}
	case refSlash:
		if len(p) != n+1 || !p.slashed() {
			return false
		}
	case refAll:
		if len(p) <= n {
			return false
		}
		// No named rest has a dot segment, not even between slashes that were escaped.
		rest := strings.Split(strings.Join(p[n:], "/"), "/")
		if rt.named && (slices.Contains(rest, ".") || slices.Contains(rest, "..")) {
			return false
		}
	}
	for i, seg := range rt.segs {
		if seg.literal() && p[i] != seg.parts[0].text || !seg.literal() && !splits(seg.parts, p[i]) {
			return false
		}
	}
	return true
}

// holds reports whether vals are values with which rt matches the host and p.
func (rt refRoute) holds(host string, p refPath, vals []string) bool {
	hostVals, ok := hostValues(rt.host, host)
	if !ok || len(vals) < len(hostVals) || !slices.Equal(vals[:len(hostVals)], hostVals) {
		return false
	}
	vals = vals[len(hostVals):]
	take := func() string {
		if len(vals) == 0 {
			return ""
		}
		v := vals[0]
		vals = vals[1:]
		return v
	}
	for i, seg := range rt.segs {
		var b strings.Builder
		for _, part := range seg.parts {
			if !part.param {
				b.WriteString(part.text)
				continue
			}
			v := take()
			if !refValue(v) || !part.accepts(v) {
				return false
			}
			b.WriteString(v)
		}
		if b.String() != p[i] {
			return false
		}
	}
	if rt.named {
		rest := strings.Join(p[len(rt.segs):], "/")
		if rt.slash {
			rest = "/" + rest
		}
		if take() != rest {
			return false
		}
	}
	return len(vals) == 0
}
