package migrate

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A unit is a package, which is changed completely or not at all.
type unit struct {
	path    string
	imports map[string]*packages.Package
	files   map[string][]byte
	dropped bool
}

// check drops the packages that don't type-check with the changes, and those
// whose change breaks another package. All units that one package of the program
// imports, directly or not, are kept or dropped together, because they may pass
// routers to each other, even as an http.Handler.
func (r *Result) check(dir string, patterns []string, all []*packages.Package, units []*unit) error {
	together := programs(all, units)
	module := ""
	for _, p := range all {
		if p.Module != nil {
			module = p.Module.Path + "/..."
		}
	}
	wide := patterns
	if module != "" && !slices.Contains(patterns, module) {
		wide = append(slices.Clone(patterns), module)
	}
	for {
		dropTogether(together)
		overlay := make(map[string][]byte)
		for _, u := range units {
			if !u.dropped {
				maps.Copy(overlay, u.files)
			}
		}
		if len(overlay) == 0 {
			return nil
		}
		pkgs, err := load(dir, overlay, wide)
		if err != nil {
			return err
		}
		bad := false
		for _, p := range pkgs {
			foreign := !slices.ContainsFunc(all, func(q *packages.Package) bool { return q.PkgPath == p.PkgPath })
			if len(p.Errors) > 0 && !(foreign && brokenBefore(dir, p.PkgPath)) {
				bad = r.blame(p, units) || bad
			}
		}
		if !bad {
			return nil
		}
	}
}

// dropTogether drops all units of each group that has a dropped one.
func dropTogether(groups [][]*unit) {
	for changed := true; changed; {
		changed = false
		for _, group := range groups {
			if !slices.ContainsFunc(group, func(u *unit) bool { return u.dropped }) {
				continue
			}
			for _, u := range group {
				changed = changed || !u.dropped
				u.dropped = true
			}
		}
	}
}

// blame drops the units that p, which doesn't type-check, is or imports. It
// reports whether there were any.
func (r *Result) blame(p *packages.Package, units []*unit) (dropped bool) {
	for _, u := range units {
		if _, ok := p.Imports[u.path]; (ok || u.path == p.PkgPath || u.path+"_test" == p.PkgPath) && !u.dropped {
			u.dropped, dropped = true, true
			r.Notes = append(r.Notes, Note{Text: fmt.Sprintf("%s: not changed, because the result does not type-check: %v (of %d errors)", u.path, firstError(p), len(p.Errors)), Blocks: true})
		}
	}
	return dropped
}

// brokenBefore reports whether a package has errors without the changes.
func brokenBefore(dir, path string) bool {
	pkgs, err := load(dir, nil, []string{path})
	return err != nil || slices.ContainsFunc(pkgs, func(p *packages.Package) bool { return len(p.Errors) > 0 })
}

// programs returns the units that each package is or imports.
func programs(all []*packages.Package, units []*unit) [][]*unit {
	byPath := make(map[string]*packages.Package)
	for _, p := range all {
		byPath[p.PkgPath] = p
	}
	var groups [][]*unit
	for _, p := range all {
		seen := make(map[string]bool)
		var group []*unit
		var visit func(path string)
		visit = func(path string) {
			if seen[path] {
				return
			}
			seen[path] = true
			for _, u := range units {
				if u.path == path || u.path == path+"_test" {
					group = append(group, u)
				}
			}
			if p := byPath[path]; p != nil {
				for path := range p.Imports {
					visit(path)
				}
			}
		}
		visit(p.PkgPath)
		if len(group) > 1 {
			groups = append(groups, group)
		}
	}
	return groups
}

// firstError returns the first error of a package. It prefers type errors,
// because errors of the go command contain names of temporary files.
func firstError(p *packages.Package) packages.Error {
	for _, e := range p.Errors {
		if e.Kind == packages.TypeError {
			return e
		}
	}
	return p.Errors[0]
}
