// Package steps tests how the cost of an operation grows with the size of its
// input. It counts the statements that the operation executes. Unlike times,
// the counts are the same on a busy machine.
//
// Only tests import it.
package steps

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A Case prepares an operation for an input of size n.
type Case struct {
	Grows   bool // the steps grow linearly with n; otherwise they stay the same
	Small   int  // the smaller size; the larger one is four times that
	Prepare func(n int) (work func())
}

// job is the environment variable that tells a copy of the test what to run.
const job = "MUXMASTER_STEPS"

// Test compares the steps of each case for its two sizes. It compiles the tests
// of the current package with counters in the given packages, a list for
// -coverpkg, and runs them once for each case and size. The caller is a test
// that calls nothing but Test.
func Test(t *testing.T, packages string, cases map[string]Case) {
	if job := os.Getenv(job); job != "" {
		run(t, job, cases)
		return
	}
	binary := filepath.Join(t.TempDir(), "steps.test")
	build := exec.Command("go", "test", "-c", "-covermode=atomic", "-coverpkg="+packages, "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	name := t.Name()
	for text, c := range cases {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			// Repeat the operation, because the steps of the preparation vary.
			const times = 20
			steps := func(n int) int {
				return (count(t, binary, name, text, n, times) - count(t, binary, name, text, n, 0)) / times
			}
			small, large := steps(c.Small), steps(4*c.Small)
			most := small + small/4 + 100
			if c.Grows {
				most *= 4
			}
			if small <= 0 || large > most {
				t.Errorf("%d steps for %d, %d for %d, want at most %d", small, c.Small, large, 4*c.Small, most)
			}
		})
	}
}

// run prepares the operation of a case, and executes it.
func run(t *testing.T, job string, cases map[string]Case) {
	var n, times int
	text, sizes, _ := strings.Cut(job, "=")
	if _, err := fmt.Sscanf(sizes, "%d,%d", &n, &times); err != nil {
		t.Fatal(err)
	}
	work := cases[text].Prepare(n)
	for range times {
		work()
	}
}

// count returns the number of statements that the test executes if it prepares
// a case once and runs its operation the given number of times.
func count(t *testing.T, binary, name, text string, n, times int) (steps int) {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile")
	run := exec.Command(binary, "-test.run=^"+name+"$", "-test.coverprofile="+profile)
	run.Env = append(os.Environ(), fmt.Sprintf("%s=%s=%d,%d", job, text, n, times))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", text, err, out)
	}
	f, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() { // file.go:1.2,3.4 statements count
		var statements, count int
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 {
			statements, _ = strconv.Atoi(fields[1])
			count, _ = strconv.Atoi(fields[2])
		}
		steps += statements * count
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}
