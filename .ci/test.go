//go:build ignore

// Command test runs the steps below. test.sh calls it; see there.
//
// Three steps run at a time, because many tests wait. Those that take long begin
// first. It prints the output of go test: the lines of packages, and the output
// of tests that fail.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// A step is a command that fails or succeeds.
type step struct {
	name    string
	command string   // arguments are separated by spaces; quoted with ' if they contain some
	dir     string   // "" for the root
	env     []string // in addition
	needs   []string // commands in .ci/programs
	all     bool     // runs only with -all
	alone   bool     // measures, so that nothing else may run
}

// Some tests run only once, without the race detector: comparisons with models,
// which use one goroutine and would take a minute each, and tests that compile
// programs of their own, such as those of documents.
const once = "^(TestReference|TestSteps|TestDocs)"

var steps = []step{
	{name: "race detector, servers", command: "go test -race ./server ./engine/... ./client", needs: []string{"gcc|clang"}},
	{name: "gofmt", command: "bash -c 'bad=$(git ls-files -z \"*.go\" | xargs -0 gofmt -l) && echo \"$bad\" && [[ -z $bad ]]'"},
	{name: "vet", command: "go vet ./..."},
	{name: "types on other systems", command: "go run ../.ci/types.go windows darwin freebsd plan9 js wasip1", dir: "analyzer"},
	{name: "tests", command: "go test . ./docs ./internal/... ./cmd/... ./examples/..."},
	{name: "race detector", command: "go test -race -skip " + once + " . ./internal/... ./middleware ./problem ./body ./cmd/... ./examples/...", needs: []string{"gcc|clang"}},
	{name: "unknown net/http", command: "go test -skip Alloc|BytesPerValue|KeptRequests|FastPathValues|" + once + " .", env: []string{"MUXMASTER_FALLBACK=1"}},
	{name: "without unsafe", command: "go test -tags muxmaster_safe -skip " + once + " . ./internal/... ./examples/..."},
	{name: "without raw system calls", command: "go test -tags muxmaster_portable ./engine/... ./server"},
	{name: "module analyzer", command: "go test -short ./...", dir: "analyzer"},
	{name: "module examples/libraries", command: "go test ./...", dir: "examples/libraries"},

	{name: "simulation", command: "go test -run ^TestSimulation -timeout 1h ./engine -simulate 5m -mutations", all: true},
	{name: "module interop/browser", command: "go test ./...", dir: "interop/browser", all: true, needs: []string{"chromium|google-chrome", "firefox-esr|firefox", "java", "npm", "python3"}},
	{name: "module interop", command: "go test -race ./...", dir: "interop", all: true,
		needs: []string{"gcc|clang", "buildah", "caddy", "curl", "h2load", "haproxy", "nghttp", "nginx", "redis-server", "systemd-analyze"}},
	{name: "builds for js and wasip1", command: "bash -c 'for s in js wasip1; do GOOS=$s GOARCH=wasm go build ./... || exit; done'", all: true},
	{name: "next Go", command: "go test -skip " + once + " ./...", env: nextGo, all: true},
	{name: "another layout of net/http", command: ".ci/layout", all: true},
	{name: "fuzzing, two seconds a target", command: ".ci/fuzz 2s", all: true},
	{name: "release in a clone, install from its tag", command: ".ci/tryrelease", all: true},
	{name: "module bench", command: "go test ./...", dir: "bench", all: true, needs: []string{"h2load", "h2o", "taskset", "wrk"}},
	{name: "muxvet of nested modules", command: "go test -run TestExamples .", dir: "analyzer", all: true},
	{name: "programs and suites of others", command: "interop/programs/run.sh", all: true, needs: []string{"curl", "npm", "python3"}},
	{name: "next Go, without unsafe", command: "go test -tags muxmaster_safe -skip " + once + " .", env: nextGo, all: true},
	// With -race, the libraries of interop are compiled already.
	{name: "vet of nested modules", command: "bash -c 'for m in analyzer bench interop/browser examples/libraries; do (cd $m && go vet ./...) || exit; done; cd interop && go vet -race ./...'", all: true},
	{name: "workflow files", command: ".ci/lint workflows", all: true},
	{name: "benchmarks", command: "go test -run ^$ -bench . -benchtime 100x .", all: true},
	{name: "showdown", command: "bash -c 'go run ./cmd/showdown -quick -only \"serving/(Param1|GitHub)\" -for 20s -run \"$(mktemp)\"'", dir: "bench", all: true, alone: true},
}

var nextGo = []string{"GOTOOLCHAIN=go1.27.4"}

func main() {
	everything := flag.Bool("all", false, "run all tests, and fail if a program is missing")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: ./test.sh [-all]") }
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	packages, err := programs()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	r := &report{everything: *everything, start: time.Now(), install: packages}
	queue := make(chan step)
	var alone []step
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for s := range queue {
				r.run(s)
			}
		})
	}
	for _, s := range steps {
		switch missing := r.missing(s); {
		case s.all && !*everything:
			r.leftOut = append(r.leftOut, s.name)
		case missing != "" && *everything:
			r.fail(s.name, "needs "+missing)
		case missing != "":
			r.leftOut = append(r.leftOut, s.name+" (needs "+missing+")")
		case s.alone:
			alone = append(alone, s)
		default:
			queue <- s
		}
	}
	close(queue)
	wg.Wait()
	for _, s := range alone {
		r.run(s)
	}
	if !r.summary() {
		os.Exit(1)
	}
}

// programs returns .ci/programs: for each command, the packages that install
// it.
func programs() (map[string]string, error) {
	text, err := os.ReadFile(".ci/programs")
	if err != nil {
		return nil, err
	}
	install := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] != "#" {
			install[f[0]] = strings.Join(f[1:], " ")
		}
	}
	return install, nil
}

// A report prints what happens, and remembers it for the summary.
type report struct {
	everything bool
	install    map[string]string // packages by command
	start      time.Time

	mu      sync.Mutex
	done    []string
	leftOut []string
	failed  []string
	wanted  []string // packages that are not installed
	passes  int
}

// missing returns the first command that a step needs and that isn't there.
func (r *report) missing(s step) string {
	found := ""
	for _, need := range s.needs {
		commands := strings.Split(need, "|")
		if slices.ContainsFunc(commands, func(c string) bool { _, err := exec.LookPath(c); return err == nil }) {
			continue
		}
		if !slices.Contains(r.wanted, r.install[need]) {
			r.wanted = append(r.wanted, r.install[need])
		}
		if found == "" {
			found = commands[0]
		}
	}
	return found
}

// run executes a step.
func (r *report) run(s step) {
	args := words(s.command)
	tests := args[0] == "go" && args[1] == "test" && !strings.Contains(s.command, "-bench")
	if tests {
		args = slices.Insert(args, 2, "-json")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), s.env...)
	started := time.Now()
	out, err := cmd.StdoutPipe()
	if err == nil {
		cmd.Stderr = cmd.Stdout
		err = cmd.Start()
	}
	if err != nil {
		r.fail(s.name, err.Error())
		return
	}
	o := &output{report: r, step: s, failed: map[string]bool{}, tests: map[string][]string{}}
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if line != "" {
			o.line(line, tests)
		}
		if err != nil {
			break
		}
	}
	switch err := cmd.Wait(); {
	case err != nil && len(o.failed) == 0:
		r.fail(s.name, s.command+": "+err.Error())
	case err == nil && !tests:
		o.passed++
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.mu.Lock()
	r.passes += o.passed
	line := fmt.Sprintf("%5.0f s %5.0f s  %s", time.Since(started).Seconds(), cpu.Seconds(), s.name)
	r.done = append(r.done, line)
	r.mu.Unlock()
}

// words splits a command into its arguments.
func words(command string) (args []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

// An output reads the output of a step.
type output struct {
	*report
	step   step
	passed int
	failed map[string]bool     // packages
	tests  map[string][]string // output by package and test, until it ends
}

// An event is a line of the output of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

func (o *output) line(line string, tests bool) {
	var e event
	if !tests || line[0] != '{' || json.Unmarshal([]byte(line), &e) != nil {
		o.print(line)
		return
	}
	test, sub, _ := strings.Cut(e.Test, "/")
	parent := e.Package + " " + test
	key := strings.TrimSuffix(parent+"/"+sub, "/")
	label := o.step.name + ": " + strings.TrimPrefix(strings.TrimPrefix(parent, "github.com/seed-1954dcaa/"), "muxmaster/")
	switch e.Action {
	case "build-output":
		o.print(e.Output)
	case "output":
		text := strings.TrimSpace(e.Output)
		if !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "--- PASS") && text != "PASS" {
			o.tests[key] = append(o.tests[key], e.Output)
		}
	case "pass", "fail", "skip":
		kept := o.tests[key]
		delete(o.tests, key)
		if sub != "" {
			if e.Action == "fail" {
				o.tests[parent] = append(o.tests[parent], kept...)
			}
			return
		}
		switch {
		case e.Action == "fail" && (test != "" || !o.failed[e.Package]): // a test, or a package that ended otherwise
			o.failed[e.Package] = true
			o.print(strings.Join(kept, ""))
			if test == "" { // tests that were running when it ended, as by a time limit
				for key, text := range o.tests {
					if strings.HasPrefix(key, e.Package+" ") {
						o.print(strings.Join(text, ""))
					}
				}
			}
			o.fail(label, "")
		case test == "": // the line of a package
			for _, line := range kept {
				if strings.HasPrefix(line, "ok ") || e.Action == "fail" {
					o.print(line)
				}
			}
		case e.Action == "skip":
			o.print(strings.Join(kept, ""))
			if o.everything && o.step.all && len(o.step.needs) > 0 { // with these programs, nothing may be left out
				o.fail(label, "skipped")
			}
		default:
			o.passed++
		}
	}
}

func (r *report) print(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	os.Stdout.WriteString(text)
}

func (r *report) fail(name, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, strings.TrimSuffix(name+": "+why, ": "))
}

// summary prints the last lines, and reports whether nothing failed.
func (r *report) summary() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Printf("\n   time     CPU  step\n%s\n%5.0f s          in total\n", strings.Join(r.done, "\n"), time.Since(r.start).Seconds())
	if len(r.leftOut) > 0 {
		fmt.Printf("\nLeft out; ./test.sh -all runs them:\n\t%s\n", strings.Join(r.leftOut, "\n\t"))
	}
	if len(r.wanted) > 0 {
		fmt.Printf("\nTo install what they need, on Debian or Ubuntu:\n\tsudo apt-get install %s\n", strings.Join(r.wanted, " "))
	}
	if len(r.failed) > 0 {
		fmt.Printf("\nFailed:\n\t%s\n", strings.Join(r.failed, "\n\t"))
	}
	fmt.Printf("\n%d passed, %d failed\n", r.passes, len(r.failed))
	return len(r.failed) == 0
}
