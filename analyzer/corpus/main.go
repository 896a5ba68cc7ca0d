// Command corpus runs the checks on published programs and compares the reports
// with the verdicts of a human.
//
//	go run ./corpus [-write] [module ...]
//	go run ./corpus -fetch [module ...]
//
// modules.txt lists the programs, one per line: "module version package...".
// The command downloads them to the module cache. verdicts.txt has one line for
// each reviewed report: true or false (a false alarm), the module, the
// position, the check and the reason. The command prints reports without a
// verdict, counts and the share of false alarms. It exits with status 1 if
// there are reports without a verdict, verdicts without a report, or more than
// 5 % false alarms. With
// -write, it updates the counts in docs/checks.md; with -fetch, it only downloads
// the modules. It needs the network, and more than half an hour with a cold
// build cache.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

//go:embed modules.txt
var modules string

//go:embed verdicts.txt
var verdicts string

func main() {
	log.SetFlags(0)
	log.SetPrefix("corpus: ")
	write := flag.Bool("write", false, "update the counts in docs/checks.md")
	fetch := flag.Bool("fetch", false, "only download the modules and their dependencies")
	flag.Parse()
	if *fetch {
		for _, p := range programs(flag.Args()) {
			if err := p.download(); err != nil {
				log.Printf("%s: %v", p.path, err)
			}
		}
		return
	}
	tool := filepath.Join(os.TempDir(), "muxvet-corpus", "muxvet")
	build := exec.Command("go", "build", "-o", tool, "github.com/seed-1954dcaa/muxmaster/analyzer/cmd/muxvet")
	if out, err := build.CombinedOutput(); err != nil {
		log.Fatalf("%v\n%s", err, out)
	}
	known := readVerdicts()
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "module\tpackages\thandlers\treports\tfalse alarms")
	var total result
	var rows []row
	missing := 0
	for _, p := range programs(flag.Args()) {
		r, err := p.check(tool, known)
		if err != nil {
			log.Printf("%s: %v", p.path, err)
			missing++
			continue
		}
		fmt.Fprintf(table, "%s@%s\t%d\t%d\t%d\t%d\n", p.path, p.version, r.packages, r.handlers, r.reports, r.wrong)
		table.Flush()
		total.add(r)
		rows = append(rows, row{p.path + " " + p.version, r})
	}
	if flag.NArg() == 0 {
		for report := range known {
			log.Printf("no longer reported: %s", report)
			missing++
		}
	}
	fmt.Fprintf(table, "all\t%d\t%d\t%d\t%d\n", total.packages, total.handlers, total.reports, total.wrong)
	table.Flush()
	if total.reports > 0 {
		fmt.Printf("false alarms: %.1f %%\n", 100*float64(total.wrong)/float64(total.reports))
	}
	if *write {
		if err := writeDocs(rows, total); err != nil {
			log.Fatal(err)
		}
	}
	if missing > 0 || total.unknown > 0 || total.wrong*20 > total.reports {
		os.Exit(1)
	}
}

// readVerdicts returns the verdicts by report: false for a false alarm.
func readVerdicts() map[string]bool {
	known := make(map[string]bool)
	for line := range strings.Lines(verdicts) {
		if f := strings.Fields(line); len(f) > 3 && f[0] != "#" {
			known[strings.Join(f[1:4], " ")] = f[0] == "true"
		}
	}
	return known
}

// A program is a line of modules.txt.
type program struct {
	path, version string
	patterns      []string // of its packages
}

// programs returns the programs with the given module paths; without paths,
// all.
func programs(paths []string) (all []program) {
	for line := range strings.Lines(modules) {
		f := strings.Fields(line)
		if len(f) >= 2 && f[0] != "#" && (len(paths) == 0 || slices.Contains(paths, f[0])) {
			all = append(all, program{f[0], f[1], f[2:]})
		}
	}
	return all
}

type result struct{ packages, handlers, reports, wrong, unknown int }

func (r *result) add(o result) {
	r.packages += o.packages
	r.handlers += o.handlers
	r.reports += o.reports
	r.wrong += o.wrong
	r.unknown += o.unknown
}

// check runs the checks on the program's packages that import net/http. It
// removes the reports from known.
func (p program) check(tool string, known map[string]bool) (result, error) {
	dir, env, err := p.prepare()
	if err != nil {
		return result{}, err
	}
	names, err := serving(dir, env, p.patterns)
	if err != nil {
		return result{}, err
	}
	r := result{packages: len(names)}
	if len(names) == 0 {
		return r, nil
	}
	if r.handlers, err = handlers(dir, env, names); err != nil {
		return r, err
	}
	cmd := exec.Command("go", append([]string{"vet", "-vettool=" + tool, "-json"}, names...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Printf("%s: not all packages were checked: %v", p.path, err)
	}
	seen := make(map[string]bool)
	err = decode(out, func(check, position, message string) error {
		file, err := filepath.Rel(dir, position)
		if err != nil {
			return err
		}
		report := fmt.Sprintf("%s@%s %s %s", p.path, p.version, file, check)
		if !seen[report] { // by the package or its test variant
			seen[report] = true
			r.judge(report, message, known)
		}
		return nil
	})
	return r, err
}

// decode calls f for each report in the output of go vet -json.
func decode(out []byte, f func(check, position, message string) error) error {
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var found map[string]map[string][]struct{ Posn, Message string } // by package and check
		if err := in.Decode(&found); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		for _, checks := range found {
			for check, reports := range checks {
				for _, d := range reports {
					if err := f(check, d.Posn, d.Message); err != nil {
						return err
					}
				}
			}
		}
	}
}

// judge counts a report and removes it from known.
func (r *result) judge(report, message string, known map[string]bool) {
	r.reports++
	right, ok := known[report]
	delete(known, report)
	switch {
	case !ok:
		r.unknown++
		fmt.Printf("no verdict: %s %s\n", report, message)
	case !right:
		r.wrong++
	}
}

// prepare downloads the module. It returns its directory and an environment for
// loading its packages, with a copy of go.mod outside of the module cache that
// the go command can change.
func (p program) prepare() (dir string, env []string, err error) {
	env = append(os.Environ(), "GOWORK=off")
	if p.path == "std" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		return filepath.Join(strings.TrimSpace(string(out)), "src"), env, err
	}
	tmp := filepath.Join(os.TempDir(), "muxvet-corpus", strings.ReplaceAll(p.path, "/", "_"))
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		return "", nil, err
	}
	cmd := exec.Command("go", "mod", "download", "-json", p.path+"@"+p.version)
	cmd.Dir, cmd.Env = tmp, append(env, "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var mod struct{ Dir, GoMod, Error string }
	if json.Unmarshal(out, &mod) == nil && mod.Error != "" {
		err = errors.New(mod.Error)
	}
	if err != nil {
		return "", nil, err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		from := filepath.Join(mod.Dir, name)
		if name == "go.mod" {
			from = mod.GoMod
		}
		text, err := os.ReadFile(from)
		if err != nil && !os.IsNotExist(err) {
			return "", nil, err
		}
		if err := os.WriteFile(filepath.Join(tmp, name), text, 0o666); err != nil {
			return "", nil, err
		}
	}
	return mod.Dir, append(env, "GOFLAGS=-mod=mod -modfile="+filepath.Join(tmp, "go.mod")), nil
}

// download downloads the packages that check loads, with their dependencies, to
// the module cache.
func (p program) download() error {
	dir, env, err := p.prepare()
	if err != nil {
		return err
	}
	names, err := serving(dir, env, p.patterns)
	if err == nil {
		_, err = list(dir, env, append([]string{"-e", "-deps", "-test", "-f", "{{.Error}}"}, names...)...)
	}
	return err
}

// serving lists the packages that import net/http, also in their tests. It
// omits packages with a missing dependency, because go vet would then check
// none.
func serving(dir string, env, patterns []string) ([]string, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	args := append([]string{"-e", "-test", "-f", "{{.ImportPath}} {{or .ForTest .ImportPath}} {{.Incomplete}} {{.Imports}}"}, patterns...)
	lines, err := list(dir, env, args...)
	broken := make(map[string]bool)
	var names []string
	for _, line := range lines {
		f := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" []", c) })
		of := slices.Index(f, "true")
		if of < 0 {
			of = slices.Index(f, "false")
		}
		if of < 2 || strings.HasSuffix(f[0], ".test") {
			continue
		}
		name := f[of-1]
		broken[name] = broken[name] || f[of] == "true"
		if slices.Contains(f[of+1:], "net/http") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return broken[name] }), err
}

// list runs go list and returns its lines.
func list(dir string, env []string, args ...string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}
