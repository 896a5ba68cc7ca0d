package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// An Expr is a compiled constraint. It matches whole strings.
//
// Most constraints are runs of character classes: [0-9]+, \d{4}, [a-z0-9-]+, a
// UUID. If at most one run of an expression varies in length, then the length of
// the string decides how long each run is, and a table look-up per byte is the
// whole match. Other expressions run as RE2. Without the runs, every expression
// would still match the same strings, only slower.
type Expr struct {
	runs []run
	min  int // bytes in all runs, the varying one at its least
	vary int // index of the run that varies, -1 if none does
	max  int // bytes in all runs, the varying one at its most; -1 if unbounded
	re   *regexp.Regexp
}

// A run is a class of bytes and how many of them there are.
type run struct {
	set      [4]uint64 // until it has a table
	in       *table
	min, max int // max -1: unbounded
}

// A table has 1 for each byte of a class. Runs of one class share one.
type table [256]uint8

// CompileExpr compiles an RE2 expression.
func CompileExpr(expr string) (*Expr, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err == nil {
		_, err = syntax.Parse(`(?:`+expr+`)`, syntax.Perl) // it must not swallow what stands behind it, as \Q does
	}
	if err != nil {
		return nil, fmt.Errorf("the expression %q is not RE2: %w", expr, err)
	}
	e := &Expr{vary: -1}
	if e.addRuns(parsed) {
		e.makeTables()
		return e, nil
	}
	// \A and \z: a (?m) inside expr must not let a line stand for the segment.
	if e.re, err = regexp.Compile(`\A(?:` + expr + `)\z`); err != nil {
		return nil, fmt.Errorf("the expression %q is not RE2: %w", expr, err)
	}
	return e, nil
}

// Match reports whether e matches the whole of s.
func (e *Expr) Match(s string) bool {
	if e.re != nil {
		return e.re.MatchString(s)
	}
	if len(s) < e.min || e.max >= 0 && len(s) > e.max {
		return false
	}
	extra := len(s) - e.min // bytes for the run that varies
	for k := range e.runs {
		r := &e.runs[k]
		n := r.min
		if k == e.vary {
			n += extra
		}
		if !r.in.all(s[:n]) {
			return false
		}
		s = s[n:]
	}
	return true
}

// all reports whether all bytes of s are in t.
func (t *table) all(s string) bool {
	for len(s) >= 4 {
		if t[s[0]]&t[s[1]]&t[s[2]]&t[s[3]] == 0 {
			return false
		}
		s = s[4:]
	}
	for i := range len(s) {
		if t[s[i]] == 0 {
			return false
		}
	}
	return true
}

func (e *Expr) makeTables() {
	tables := map[[4]uint64]*table{}
	for k := range e.runs {
		r := &e.runs[k]
		if tables[r.set] == nil {
			tables[r.set] = new(table)
			for c := range 256 {
				tables[r.set][c] = uint8(r.set[c>>6] >> (c & 63) & 1)
			}
		}
		r.in = tables[r.set]
	}
}

// addRuns appends re to e's runs, or reports that it is more than runs.
func (e *Expr) addRuns(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !e.addRuns(sub) {
				return false
			}
		}
		return true
	case syntax.OpCapture:
		return e.addRuns(re.Sub[0])
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if c >= 0x80 || re.Flags&syntax.FoldCase != 0 && 'a' <= c|0x20 && c|0x20 <= 'z' {
				return false
			}
			r := run{min: 1, max: 1}
			r.add(byte(c))
			if !e.add(r, false) {
				return false
			}
		}
		return true
	case syntax.OpPlus, syntax.OpStar, syntax.OpRepeat, syntax.OpQuest:
		r, high, ok := class(re.Sub[0])
		switch re.Op {
		case syntax.OpPlus:
			r.min, r.max = 1, -1
		case syntax.OpStar:
			r.min, r.max = 0, -1
		case syntax.OpQuest:
			r.min, r.max = 0, 1
		default:
			r.min, r.max = re.Min, re.Max
		}
		return ok && e.add(r, high)
	default:
		r, high, ok := class(re)
		r.min, r.max = 1, 1
		return ok && e.add(r, high)
	}
}

func (e *Expr) add(r run, high bool) bool {
	// Classes count runes, runs count bytes. That is the same for ASCII, and
	// for "any number of anything above ASCII".
	if high && (r.min > 1 || r.max >= 0) {
		return false
	}
	if r.min != r.max {
		if e.vary >= 0 {
			return false
		}
		e.vary = len(e.runs)
	}
	e.min += r.min
	if e.max >= 0 {
		e.max += r.max
	}
	if r.max < 0 {
		e.max = -1
	}
	e.runs = append(e.runs, r)
	return len(e.runs) <= 64
}

// class returns the bytes that re, matching a single rune, can begin with, and
// whether it matches all runes above ASCII; ok is false if re is no class or
// matches only some of those.
func class(re *syntax.Regexp) (r run, high, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if len(re.Rune) != 1 || re.Rune[0] >= 0x80 || re.Flags&syntax.FoldCase != 0 {
			return r, false, false
		}
		r.add(byte(re.Rune[0]))
		return r, false, true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for c := range 256 {
			if c != '\n' || re.Op == syntax.OpAnyChar {
				r.add(byte(c))
			}
		}
		return r, true, true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if hi >= 0x80 {
				if hi != 0x10FFFF || lo > 0x80 {
					return r, false, false
				}
				high, hi = true, 0xFF
			}
			for c := lo; c <= hi; c++ {
				r.add(byte(c))
			}
		}
		return r, high, true
	}
	return r, false, false
}

func (r *run) add(c byte) { r.set[c>>6] |= 1 << (c & 63) }
