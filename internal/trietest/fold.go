package trietest

import "slices"

// Fold returns the route with literal text in which the case of letters doesn't
// matter.
func (rt Route) Fold() Route {
	rt.Segs = slices.Clone(rt.Segs)
	for i, seg := range rt.Segs {
		rt.Segs[i].Parts = slices.Clone(seg.Parts)
		for k := range rt.Segs[i].Parts {
			rt.Segs[i].Parts[k].fold = true
		}
	}
	return rt
}

// Recases reports whether rt matches the path to, which is p with another case of
// letters of literal text.
func (rt Route) Recases(p, to Path) bool {
	read, ok := rt.read(to)
	if !ok || len(p) != len(to) || slices.Equal(p, to) {
		return false
	}
	from, ok := rt.Fold().read(p)
	if !ok || len(from) != len(read) {
		return false
	}
	for i, seg := range rt.Segs {
		if !slices.Contains(recasings(seg.Parts, from[i]), read[i]) {
			return false
		}
	}
	return slices.Equal(from[len(rt.Segs):], read[len(rt.Segs):])
}

// recasings returns what text can become if the literal text among parts gets
// its case.
func recasings(parts []Part, text string) (all []string) {
	if len(parts) == 0 {
		if text == "" {
			return []string{""}
		}
		return nil
	}
	first := parts[0]
	first.fold = true
	for n := range len(text) + 1 {
		head := text[:n]
		switch {
		case first.Param && !first.accepts(head), !first.Param && (n != len(first.Text) || !first.begins(head)):
			continue
		case !first.Param:
			head = first.Text
		}
		for _, tail := range recasings(parts[1:], text[n:]) {
			all = append(all, head+tail)
		}
	}
	return all
}
