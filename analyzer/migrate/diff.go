package migrate

import (
	"fmt"
	"strings"
)

// Diff returns the changes of the file in unified format.
func (f File) Diff() string {
	a, b := lines(f.Before), lines(f.After)
	script := compare(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", f.Name, f.Name)
	const context = 3
	for i := 0; i < len(script); {
		if script[i].op == ' ' {
			i++
			continue
		}
		from := max(0, i-context)
		to, same := i, 0
		for ; to < len(script) && same <= 2*context; to++ {
			if same++; script[to].op != ' ' {
				same = 0
			}
		}
		to -= max(0, same-context)
		var x, y int // lines of a and b in the hunk
		for _, l := range script[from:to] {
			if l.op != '+' {
				x++
			}
			if l.op != '-' {
				y++
			}
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", script[from].a+1, x, script[from].b+1, y)
		for _, l := range script[from:to] {
			fmt.Fprintf(&out, "%c%s\n", l.op, l.text)
		}
		i = to
	}
	return out.String()
}

func lines(text []byte) []string { return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") }

// A line of a comparison is in both texts (' '), only in the first ('-'), or
// only in the second ('+'). a and b are the numbers of the lines that come
// next.
type line struct {
	op   byte
	text string
	a, b int
}

// compare merges the lines of a and b to one sequence with as many common lines
// as possible.
func compare(a, b []string) []line {
	common := make([][]int32, len(a)+1) // common[i][j]: number of common lines of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var all []line
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			all = append(all, line{' ', a[i], i, j})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			all = append(all, line{'-', a[i], i, j})
			i++
		default:
			all = append(all, line{'+', b[j], i, j})
			j++
		}
	}
	return all
}
