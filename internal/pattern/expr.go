package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// An Expr is a compiled constraint. It matches whole strings.
//
// Most constraints are sequences of repeated character classes (runs): [0-9]+,
// \d{4}, [a-z0-9-]+, -?[0-9]+, a UUID. If at most one run varies in length, the
// length of the string determines the length of each run, and matching takes one
// table lookup for each byte. Before that run there may be others that vary and
// end where the next byte is not in their class. Other expressions use package
// regexp. The runs are only an optimization.
type Expr struct {
	runs []run
	min  int            // minimum length of the string in bytes
	vary int            // index of the last run whose length varies; -1 if there is none
	max  int            // maximum length of the string in bytes; -1 if unbounded
	re   *regexp.Regexp // nil if the expression consists of runs
}

// A run is a repeated class of bytes.
type run struct {
	set      [4]uint64 // the class as a bit set, used while compiling
	in       *table    // the class as a table, used by Match
	min, max int       // number of bytes; max is -1 if unbounded
	after    int       // minimum length of the runs behind it
}

// A table has 1 for each byte of a class. Runs with the same class share a
// table.
type table [256]uint8

// CompileExpr compiles an RE2 expression.
func CompileExpr(expr string) (*Expr, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err == nil {
		_, err = syntax.Parse(`(?:`+expr+`)`, syntax.Perl) // fails if expr affects the text after it, as \Q does
	}
	if err != nil {
		return nil, fmt.Errorf("the expression %q is not valid RE2: %w", expr, err)
	}
	e := &Expr{vary: -1}
	if e.addRuns(parsed) && e.decidable() {
		e.makeTables()
		return e, nil
	}
	// Not ^ and $, which match at line ends if expr contains (?m).
	if e.re, err = regexp.Compile(`\A(?:` + expr + `)\z`); err != nil {
		return nil, fmt.Errorf("the expression %q is not valid RE2: %w", expr, err)
	}
	return e, nil
}

// MaxRegexp is the length in bytes from which on text does not match an
// expression that needs package regexp. Package regexp takes time in proportion
// to the length, but far more for each byte than anything else that a request
// causes.
const MaxRegexp = 4 << 10

// Match reports whether e matches the whole of s.
func (e *Expr) Match(s string) bool {
	if e.re != nil {
		return len(s) < MaxRegexp && e.re.MatchString(s)
	}
	if len(s) < e.min || e.max >= 0 && len(s) > e.max {
		return false
	}
	for k := range e.runs {
		r := &e.runs[k]
		n := r.min
		if k == e.vary {
			n = len(s) - r.after
		} else if r.min != r.max {
			n = r.in.leading(s, r.max)
		}
		if n < r.min || r.max >= 0 && n > r.max || len(s)-n < r.after || !r.in.all(s[:n]) {
			return false
		}
		s = s[n:]
	}
	return s == ""
}

// leading counts the bytes at the start of s that are in t, up to limit unless
// that is negative.
func (t *table) leading(s string, limit int) int {
	n := 0
	for n < len(s) && n != limit && t[s[n]] != 0 {
		n++
	}
	return n
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
	after := e.min
	for k := range e.runs {
		r := &e.runs[k]
		after -= r.min
		r.after = after
		if r.in = tables[r.set]; r.in != nil {
			continue
		}
		r.in = new(table)
		for c := range r.in {
			r.in[c] = uint8(r.set[c>>6] >> (c & 63) & 1)
		}
		tables[r.set] = r.in
	}
}

// addRuns appends re to e's runs. It reports false if re does not consist of
// runs.
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

// add appends a run. high says that its class includes all runes above ASCII.
// It reports false if runs cannot represent the expression.
func (e *Expr) add(r run, high bool) bool {
	// Regular expressions count runes and runs count bytes. The result is the
	// same for ASCII, and for any number of arbitrary runes above ASCII.
	if high && (r.min > 1 || r.max >= 0) {
		return false
	}
	if r.min != r.max {
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

// decidable reports whether each run that varies, but for the last one, ends
// where the next byte is not in its class: a run that follows, up to the first
// one that can't be empty, has no byte in common with it.
func (e *Expr) decidable() bool {
	for k := range max(e.vary, 0) {
		r := &e.runs[k]
		if r.min == r.max {
			continue
		}
		for _, next := range e.runs[k+1:] {
			for i, word := range next.set {
				if word&r.set[i] != 0 {
					return false
				}
			}
			if next.min > 0 {
				break
			}
		}
	}
	return true
}

// class returns a run with the class of re, which must match a single rune.
// high reports whether re matches all runes above ASCII. ok is false if re is
// not a class or matches only some of the runes above ASCII.
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
