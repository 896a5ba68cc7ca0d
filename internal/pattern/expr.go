package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A constraint is a compiled expression. It matches whole strings.
//
// Most constraints treat all runes beyond ASCII alike: [0-9]+, [^/.]+, en|de, a
// UUID. They become a deterministic automaton, which takes one table lookup for
// each rune. Others, and those with too many states, use package regexp. The
// automaton is only an optimization.
type constraint struct {
	class   [256]uint16 // of each byte that begins a rune; the automaton doesn't distinguish runes of one class
	classes int
	table   []uint16       // a row for each state; row 0 never matches, and row 1 is the first
	re      *regexp.Regexp // nil if there is an automaton
}

// A row of the table has the index of the next row, by class, and then 1 if the
// state accepts, or 0. The upper bits of class are sets of ASCII runes that keep
// the automaton in its state. The row of such a state has the bit of its set.

// beyond stands for all runes beyond ASCII.
const beyond = 0x80

// compileExpr compiles an RE2 expression.
func compileExpr(expr string) (*constraint, error) {
	parsed, err := parseExpr(expr)
	if err != nil {
		return nil, err
	}
	e := new(constraint)
	if prog, err := syntax.Compile(parsed.Simplify()); err == nil && e.build(prog) {
		return e, nil
	}
	re, err := regexp.Compile(wholeExpr(expr))
	return &constraint{re: re}, err
}

// parseExpr parses an expression that is a constraint.
func parseExpr(expr string) (*syntax.Regexp, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err == nil {
		_, err = syntax.Parse(wholeExpr(expr), syntax.Perl) // fails if expr affects the text after it, as \Q does
	}
	if err != nil {
		return nil, fmt.Errorf("the expression %q is not valid RE2: %w", expr, err)
	}
	return parsed, nil
}

// wholeExpr returns an expression that matches only whole strings. ^ and $ would
// match at line ends if expr contains (?m).
func wholeExpr(expr string) string { return `\A(?:` + expr + `)\z` }

// maxRegexp is the length in bytes from which on text does not match an
// expression that needs package regexp. Package regexp takes time in proportion
// to the length, but far more for each byte than anything else that a request
// causes.
const maxRegexp = 4 << 10

// match reports whether e matches the whole of s.
func (e *constraint) match(s string) bool {
	if e.re != nil {
		return len(s) < maxRegexp && e.re.MatchString(s)
	}
	row, table := e.classes+1, e.table
	for s != "" {
		next := int(table[row+int(uint8(e.class[s[0]]))])
		if next == 0 {
			return false
		}
		if s[0] < beyond {
			s = s[1:]
		} else {
			_, n := utf8.DecodeRuneInString(s)
			s = s[n:]
		}
		if next != row {
			row = next
			continue
		}
		for loop := table[row+e.classes] &^ 1; len(s) >= 4 && e.class[s[0]]&e.class[s[1]]&e.class[s[2]]&e.class[s[3]]&loop != 0; {
			s = s[4:]
		}
	}
	return table[row+e.classes]&1 != 0
}

// build makes the automaton of prog. It reports false if there is none. Each
// state stands for the instructions that prog may be at.
func (e *constraint) build(prog *syntax.Prog) bool {
	const maxInst = 128
	if len(prog.Inst) > maxInst {
		return false
	}
	samples := e.setClasses(prog)
	if samples == nil {
		return false
	}
	e.classes = len(samples)
	type set [maxInst]bool
	var states []set
	numbers := map[set]uint16{}
	number := func(s set) uint16 {
		n, ok := numbers[s]
		if !ok {
			n = uint16(len(states))
			numbers[s], states = n, append(states, s)
		}
		return n
	}
	var enter func(s *set, pc uint32)
	enter = func(s *set, pc uint32) {
		if s[pc] {
			return
		}
		s[pc] = true
		switch inst := &prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			enter(s, inst.Out)
			enter(s, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			enter(s, inst.Out)
		}
	}
	number(set{})
	loop := uint16(1 << 8)
	var first set
	enter(&first, uint32(prog.Start))
	number(first)
	for i := 0; i < len(states); i++ {
		at, accepts := states[i], uint16(0)
		after := make([]set, e.classes)
		for pc := range prog.Inst {
			inst := &prog.Inst[pc]
			if !at[pc] {
				continue
			}
			if inst.Op == syntax.InstMatch {
				accepts = 1
			}
			for class, r := range samples {
				if inst.MatchRune(r) {
					enter(&after[class], inst.Out)
				}
			}
		}
		for _, s := range after {
			e.table = append(e.table, number(s)*uint16(e.classes+1))
		}
		if row := uint16(i * (e.classes + 1)); row != 0 && slices.Contains(e.table[row:], row) {
			for b, class := range e.class[:beyond] {
				if e.table[row+class&0xff] == row {
					e.class[b] |= loop
				}
			}
			accepts |= loop
			loop <<= 1 // 0 after the eighth
		}
		e.table = append(e.table, accepts)
		if len(states) > 255 {
			return false
		}
	}
	return true
}

// setClasses sets the classes of runes, and returns a rune of each. It returns
// nil if prog has conditions other than runes, or distinguishes runes beyond
// ASCII.
func (e *constraint) setClasses(prog *syntax.Prog) (samples []rune) {
	var reads []*syntax.Inst
	for i := range prog.Inst {
		inst := &prog.Inst[i]
		if inst.Op == syntax.InstEmptyWidth || !alikeBeyond(inst) {
			return nil
		}
		if inst.Rune != nil {
			reads = append(reads, inst)
		}
	}
	numbers := map[string]uint8{}
	matches := make([]byte, len(reads))
	for r := range beyond + 1 {
		for i, inst := range reads {
			matches[i] = 0
			if inst.MatchRune(rune(r)) {
				matches[i] = 1
			}
		}
		n, ok := numbers[string(matches)]
		if !ok {
			n = uint8(len(samples))
			numbers[string(matches)], samples = n, append(samples, rune(r))
		}
		e.class[r] = uint16(n)
	}
	for b := beyond; b < len(e.class); b++ {
		e.class[b] = e.class[beyond]
	}
	return samples
}

// alikeBeyond reports whether inst matches all runes beyond ASCII or none.
func alikeBeyond(inst *syntax.Inst) bool {
	ranges := inst.Rune
	if len(ranges) == 1 { // one rune, or with a flag also those that it folds to
		for r := unicode.SimpleFold(ranges[0]); r != ranges[0]; r = unicode.SimpleFold(r) {
			if r >= beyond && syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
				return false
			}
		}
		return ranges[0] < beyond
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		if lo, hi := ranges[i], ranges[i+1]; hi >= beyond && (lo > beyond || hi != unicode.MaxRune) {
			return false
		}
	}
	return true
}
