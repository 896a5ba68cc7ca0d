package migrate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// A source is one file and its edits.
type source struct {
	fset    *token.FileSet
	file    *ast.File
	name    string
	text    []byte
	edits   []edit            // in order, none inside another
	imports map[string]string // paths to import, with the names used for them
	names   map[string]string // the name of each import path in the original file
}

type edit struct {
	from, to int // offsets in text
	text     string
}

func (s *source) offset(pos token.Pos) int { return s.fset.Position(pos).Offset }

// replace replaces the source between two positions with text. It drops the
// edits inside; text must already include them, see [source.render]. It keeps
// insertions after the end.
func (s *source) replace(from, to token.Pos, text string) {
	e := edit{s.offset(from), s.offset(to), text}
	s.edits = slices.DeleteFunc(s.edits, func(old edit) bool {
		return e.from <= old.from && old.to <= e.to && old.from < e.to
	})
	i, _ := slices.BinarySearchFunc(s.edits, e, func(a, b edit) int { return a.from - b.from })
	// Insertions at the same position come before it.
	for i < len(s.edits) && s.edits[i].from == e.from && s.edits[i].to <= e.from {
		i++
	}
	s.edits = slices.Insert(s.edits, i, e)
}

// render returns the text between two positions with the edits applied.
func (s *source) render(from, to token.Pos) string {
	return s.apply(s.offset(from), s.offset(to))
}

func (s *source) apply(from, to int) string {
	var b strings.Builder
	for _, e := range s.edits {
		if e.from < from || e.to > to || e.from == to {
			continue // outside, or inserted after the end
		}
		b.Write(s.text[from:e.from])
		b.WriteString(e.text)
		from = e.to
	}
	b.Write(s.text[from:to])
	return b.String()
}

// comments returns the comments between two positions that are missing in the
// replacement text, one per line.
func (s *source) comments(from, to token.Pos, text string) string {
	all := ""
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if inside := from <= c.Pos() && c.End() <= to; inside && !strings.Contains(text, c.Text) {
				all += c.Text + "\n"
			}
		}
	}
	return all
}

// lost returns the comments of the file that are missing in the changed file.
func (s *source) lost(after []byte) (all []*ast.Comment) {
	text := packed(string(after)) // gofmt changes the space in comments
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if !strings.Contains(text, packed(c.Text)) {
				all = append(all, c)
			}
		}
	}
	return all
}

func packed(text string) string { return strings.Join(strings.Fields(text), "") }

// result returns the changed file, formatted, with the imports that it needs.
func (s *source) result() ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, s.name, s.apply(0, len(s.text)), parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("the rewritten file does not parse: %w", err)
	}
	used := make(map[string]bool)
	for _, id := range f.Unresolved {
		used[id.Name] = true
	}
	added := make(map[string]bool) // names that replace those of removed imports
	for path, name := range s.imports {
		if _, ok := s.names[path]; ok || !used[name] {
			continue
		}
		explicit := name
		if name == lastElement(path) {
			explicit = ""
		}
		astutil.AddNamedImport(fset, f, explicit, path)
		added[name] = true
	}
	for _, spec := range slices.Clone(f.Imports) {
		path := strings.Trim(spec.Path.Value, `"`)
		name, ok := s.names[path]
		if !ok || name == "_" || name == "." || used[name] && !added[name] {
			continue
		}
		explicit := ""
		if spec.Name != nil {
			explicit = spec.Name.Name
		}
		astutil.DeleteNamedImport(fset, f, explicit, path)
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		return nil, err
	}
	return format.Source([]byte(separate(b.String(), s.imports)))
}

// separate moves added imports from the group of the standard library to a
// separate group.
func separate(text string, added map[string]string) string {
	from := strings.Index(text, "\nimport (\n")
	if from < 0 {
		return text
	}
	from += len("\nimport (\n")
	to := from + strings.Index(text[from:], "\n)")
	var keep, moved []string
	for _, group := range strings.Split(text[from:to], "\n\n") {
		lines := strings.Split(group, "\n")
		std := slices.ContainsFunc(lines, func(l string) bool { return !strings.Contains(l, ".") })
		lines = slices.DeleteFunc(lines, func(l string) bool {
			i, j := strings.IndexByte(l, '"'), strings.LastIndexByte(l, '"')
			if !std || i == j || !strings.Contains(l, ".") || added[l[i+1:j]] == "" {
				return false
			}
			moved = append(moved, l)
			return true
		})
		keep = append(keep, strings.Join(lines, "\n"))
	}
	if len(moved) > 0 {
		keep = append(keep, strings.Join(moved, "\n"))
	}
	return text[:from] + strings.Join(keep, "\n\n") + text[to:]
}

func lastElement(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
