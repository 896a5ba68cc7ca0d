// Package migrate rewrites programs of other routers for muxmaster.
//
// It rewrites constructors, types, registrations with their patterns, and reads
// of path values. It lists what it can't rewrite, with the position and advice.
// It changes a package only if it can rewrite all of it and the result
// type-checks.
//
// # Files
//
// migrate.go contains Run, load.go loads packages, and check.go drops those
// that don't type-check with the changes. A rewriter (rewriter.go) rewrites one
// package: it calls the passes of a dialect (dialect.go) for each node, which
// edit the files (source.go). Each router has a dialect in a file of its own;
// those of gin and chi have more, whose names begin with the router's.
//
// The passes use kinds.go, which finds out what routers become, types.go and
// patterns.go, which rewrite types and patterns, and context.go, which rewrites
// handlers of gin and echo. order.go, late.go and conflict.go look for uses and
// routes that would panic in muxmaster. diff.go prints the changes.
package migrate

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Result is the result of rewriting a program.
type Result struct {
	Files  []File   // the changed ones, by name
	Notes  []Note   // by place
	Behind []string // packages that use the router but are not changed
}

// A File is a changed file.
type File struct {
	Name          string
	Before, After []byte
}

// Routers lists the names of the routers that Run supports.
func Routers() []string { return slices.Sorted(maps.Keys(dialects)) }

// Run rewrites the packages in dir that match the patterns. It doesn't write
// the files: see [Result.Write].
func Run(from, dir string, patterns ...string) (*Result, error) {
	d := dialects[from]
	if d == nil {
		return nil, fmt.Errorf("migrate: unknown router %q: use one of %s", from, strings.Join(Routers(), ", "))
	}
	pkgs, err := load(dir, nil, patterns)
	if err != nil {
		return nil, err
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return p.Module != nil && !p.Module.Main })
	all := pkgs
	pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(p *packages.Package) bool { return !d.usedBy(p) })
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("migrate: no package matching %s imports %s", strings.Join(patterns, " "), from)
	}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("migrate: %s doesn't compile: %v", p.PkgPath, p.Errors[0])
		}
	}
	if err := requiresMux(dir); err != nil {
		return nil, err
	}
	units, notes, err := rewrite(d, pkgs)
	if err != nil {
		return nil, err
	}
	result := &Result{Notes: notes}
	if err := result.check(dir, patterns, all, units); err != nil {
		return nil, err
	}
	if err := result.add(units); err != nil {
		return nil, err
	}
	slices.SortFunc(result.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(result.Notes, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.Position.Filename, b.Position.Filename), cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column))
	})
	return result, nil
}

// rewrite rewrites the packages, independently of whether the result compiles.
func rewrite(d *dialect, pkgs []*packages.Package) (units []*unit, notes []Note, err error) {
	k := newKinds(d, pkgs)
	skip := make(map[string]bool)
	var program []string
	for _, p := range pkgs {
		program = append(program, p.PkgPath)
	}
	for _, p := range pkgs {
		x, err := newRewriter(d, p, k, program, skip)
		if err != nil {
			return nil, nil, err
		}
		x.run()
		notes = append(notes, x.notes...)
		u := &unit{path: p.PkgPath, imports: p.Imports, dropped: x.blocked, files: make(map[string][]byte)}
		for _, s := range x.sources {
			if len(s.edits) == 0 {
				continue
			}
			after, err := s.result()
			if err != nil {
				notes = append(notes, Note{p.Fset.Position(s.file.Pos()), err.Error(), true})
				u.dropped = true
				continue
			}
			for _, c := range s.lost(after) {
				notes = append(notes, Note{p.Fset.Position(c.Pos()), "this comment was removed with the rewritten code: " + c.Text, false})
			}
			u.files[s.name] = after
		}
		units = append(units, u)
	}
	return units, notes, nil
}

// add adds the units to r.Files, or to r.Behind if they were dropped.
func (r *Result) add(units []*unit) error {
	for _, u := range units {
		if u.dropped {
			if !slices.Contains(r.Behind, u.path) {
				r.Behind = append(r.Behind, u.path)
			}
			continue
		}
		for name, after := range u.files {
			before, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			r.Files = append(r.Files, File{name, before, after})
		}
	}
	return nil
}

// usedBy reports whether a package uses the router. It can do so without
// importing it.
func (d *dialect) usedBy(p *packages.Package) bool {
	old := func(path string) bool {
		return slices.Contains(d.paths, path) || d == servemux && path == "net/http"
	}
	for path := range p.Imports {
		if old(path) {
			return true
		}
	}
	for _, obj := range p.TypesInfo.Uses {
		if obj.Pkg() != nil && slices.Contains(d.paths, obj.Pkg().Path()) {
			return true
		}
	}
	return false
}

// Write writes the changed files.
func (r *Result) Write() error {
	for _, f := range r.Files {
		if err := os.WriteFile(f.Name, f.After, 0o666); err != nil {
			return err
		}
	}
	return nil
}
