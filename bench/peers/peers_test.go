// Package peers contains only tests. They run the cases in testdata/routers,
// which the router's own tests also use, on the original routers. This checks
// the statements about these routers in docs/migration.md.
//
// denco, way and violetear are missing, because they aren't available from the
// Go module proxy.
package peers

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
)

// files is the directory with the cases. conformance_test.go of the root
// module documents their format.
const files = "../../testdata/routers/"

var (
	methodFirst = regexp.MustCompile(`^([A-Z]+) (.*)`)
	oneName     = regexp.MustCompile(` ([\w-]+)=("(?:[^"\\]|\\.)*")`)
)

func cutMethod(s string) (method, rest string) {
	if m := methodFirst.FindStringSubmatch(s); m != nil {
		return m[1], m[2]
	}
	return http.MethodGet, s
}

func TestCasesOnTheirRouters(t *testing.T) {
	for name, make := range routers {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(files, name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			for block := range strings.SplitSeq(string(text), "\n\n") {
				testBlock(t, name, make, block)
			}
		})
	}
}

// testBlock runs the requests of a block on a new router.
func testBlock(t *testing.T, name string, make func() router, block string) {
	var (
		served string   // the last matched route
		paths  []string // of the routes, as written here
		want   string
	)
	r := make()
	handler := func(path string) *contender.Handler {
		return &contender.Handler{Work: contender.Report, Hit: func(value func(string) string) {
			served = path
			for _, m := range oneName.FindAllStringSubmatch(want, -1) {
				key := m[1]
				if key == rest && r.rest != "" {
					key = r.rest
				}
				if m[1] == rest && restless[name] {
					served += m[0]
				} else {
					served += fmt.Sprintf(" %s=%q", m[1], value(key))
				}
			}
		}}
	}
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' || strings.Contains(line, " => ! ") {
			continue
		}
		if line[0] != '\t' {
			old, ours, ok := strings.Cut(line, " => ")
			if !ok {
				ours = old
			}
			method, path := cutMethod(old)
			_, ours = cutMethod(ours)
			paths = append(paths, ours)
			r.Add(method, path, handler(ours))
			continue
		}
		request, answer, _ := strings.Cut(line[1:], " = ")
		ours, theirs, differs := strings.Cut(answer, " | ")
		want = ours
		if differs {
			want = theirs
		}
		method, target := cutMethod(request)
		if r.Done != nil {
			r.Done()
			r.Done = nil
		}
		served = ""
		got := answerTo(t, r, method, target)
		if served != "" {
			got = served
		}
		if got = withoutDetails(got); got != withoutDetails(want) {
			t.Errorf("%s %s: got %s, want %s; routes %q", method, target, got, want, paths)
		}
	}
}

// answerTo returns the status and Location of a response.
func answerTo(t *testing.T, h http.Handler, method, target string) string {
	t.Helper()
	host := "example.com"
	if i := strings.IndexByte(target, '/'); i > 0 {
		host, target = target[:i], target[i:]
	}
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if l := w.Header().Get("Location"); l != "" {
		return fmt.Sprint(w.Code, " ", l)
	}
	return fmt.Sprint(w.Code)
}

var statusFirst = regexp.MustCompile(`^([0-9]{3})(?: .*)?$`)

// withoutDetails removes the parts of a response that aren't compared: the
// status of redirects and the Allow header.
func withoutDetails(answer string) string {
	m := statusFirst.FindStringSubmatch(answer)
	switch {
	case m == nil:
		return answer
	case m[1][0] == '3':
		return "redirect" + answer[3:]
	}
	return m[1]
}
