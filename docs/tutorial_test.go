package docs

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var programFlag = flag.String("tutorial", "", "TestDocsTutorial also builds the program as this `file`")

// TestDocsTutorial writes the files of docs/tutorial.md step by step, runs the
// commands in its console blocks, and compares their output. A line of three
// dots stands for any further output. The tutorial may take a quarter of an hour, at
// 200 words of text and 40 lines of code that weren't there before a minute, and
// 10 seconds for each command.
func TestDocsTutorial(t *testing.T) {
	text := contents(t, "docs/tutorial.md")
	s := &tutorial{t: t, dir: newModule(t, "tasks"), addr: freeAddress(t)}
	defer s.stop()
	block := regexp.MustCompile("(?ms)^(?:<!-- ([\\w./]+)(: main)? -->\n)?```(\\w+)\n(.*?)^```$")
	name := regexp.MustCompile(`^(?://|#|<!--) ([\w./]+)(?: -->)?\n`)
	commands, lines, seen := 0, 0, map[string]bool{"": true}
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		change, whole, language, code := m[1], m[2] != "", m[3], m[4]
		for line := range strings.Lines(code) {
			if line = strings.TrimSpace(line); language != "console" && !seen[line] {
				lines++
				seen[line] = true
			}
		}
		switch file := name.FindStringSubmatch(code); {
		case language == "console":
			commands += s.console(code)
		case change != "" && whole:
			s.replaceMain(change, code)
		case change != "":
			s.insert(change, code)
		case file != nil && language == "html":
			s.write(file[1], strings.TrimPrefix(code, file[0]))
		case file != nil:
			s.write(file[1], code)
		case language == "go":
			t.Errorf("a block of Go doesn't name its file:\n%s", code)
		}
	}
	if *programFlag != "" {
		s.execute("go", "build", "-o", *programFlag, ".")
	}
	if commands < 20 {
		t.Errorf("%d commands, want at least 20", commands)
	}
	words := len(strings.Fields(block.ReplaceAllString(text, "")))
	minutes := float64(words)/200 + float64(lines)/40 + float64(commands)/6
	t.Logf("%d words, %d lines of code, %d commands: %.1f minutes", words, lines, commands, minutes)
	if minutes > 15 {
		t.Error("the tutorial takes too long")
	}
}

// A tutorial is the state of the program.
type tutorial struct {
	t       *testing.T
	dir     string
	addr    string // instead of localhost:8080
	changed bool   // since the program was started
	quit    func()
}

func (s *tutorial) write(name, text string) {
	s.t.Helper()
	writeFile(s.t, filepath.Join(s.dir, name), strings.ReplaceAll(text, "localhost:8080", s.addr))
	s.changed = true
}

func (s *tutorial) read(name string) string {
	s.t.Helper()
	return contents(s.t, filepath.Join(s.dir, name))
}

// insert adds lines to newMux: in place of the call of Pre, or at the end.
func (s *tutorial) insert(file, lines string) {
	text, marker := s.read(file), "\treturn mux\n"
	with := lines + marker
	if strings.Contains(lines, ".Use(") {
		marker, with = regexp.MustCompile(`(?m)^\tmux\.Pre\(.*\n`).FindString(text), lines
	}
	s.write(file, strings.Replace(text, marker, with, 1))
}

// replaceMain replaces the function main, and adds the imports that it needs.
func (s *tutorial) replaceMain(file, code string) {
	text := regexp.MustCompile(`(?ms)^func main\(\) \{.*?^\}\n`).ReplaceAllLiteralString(s.read(file), code)
	s.write(file, strings.Replace(text, "import (\n", "import (\n\t\"context\"\n\t\"flag\"\n\t\"os\"\n", 1))
}

// console runs the commands of a block and returns their number.
func (s *tutorial) console(block string) (commands int) {
	s.t.Helper()
	for part := range strings.SplitSeq("\n"+block, "\n$ ") {
		command, want, _ := strings.Cut(part, "\n")
		if command == "" {
			continue
		}
		commands++
		got := s.run(command)
		want, more := strings.CutSuffix(want, "...")
		if strings.TrimSpace(got) != strings.TrimSpace(want) && !(more && strings.HasPrefix(got, want)) {
			s.t.Errorf("$ %s\n%s\nwant\n%s", command, got, want)
		}
	}
	return commands
}

// run executes a command, and returns its output.
func (s *tutorial) run(command string) string {
	s.t.Helper()
	args := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(command, -1)
	if args[0] == "curl" {
		s.start()
		return s.curl(args[1:])
	}
	out := s.execute(args...)
	return regexp.MustCompile(`\d+\.\d+s|\(cached\)`).ReplaceAllString(out, "0.012s")
}

func (s *tutorial) execute(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Errorf("%s: %v\n%s\n%s", args, err, out, s.read("main.go"))
	}
	return string(out)
}

// start starts the program unless it runs already.
func (s *tutorial) start() {
	s.t.Helper()
	if !s.changed {
		return
	}
	s.stop()
	s.changed = false
	s.execute("go", "vet", ".")
	s.execute("go", "build", "-o", "program", ".")
	var out bytes.Buffer
	cmd := exec.Command(filepath.Join(s.dir, "program"))
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &out, append(os.Environ(), "PASSWORD=secret")
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.quit = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.addr)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			s.stop()
			s.t.Fatalf("the program doesn't listen: %v\n%s", err, &out)
		}
	}
}

func (s *tutorial) stop() {
	if s.quit != nil {
		s.quit()
		s.quit = nil
	}
}

// curl does what curl does with the options -d, -X and -u.
func (s *tutorial) curl(args []string) string {
	s.t.Helper()
	method, url, data, user := "", "", "", ""
	options := map[string]*string{"-d": &data, "-X": &method, "-u": &user}
	for i := 0; i < len(args); i++ {
		if option := options[args[i]]; option != nil {
			i++
			*option = strings.Trim(args[i], "'")
		} else {
			url = "http://" + strings.Replace(args[i], "localhost:8080", s.addr, 1)
		}
	}
	if method == "" {
		method = http.MethodGet
		if data != "" {
			method = http.MethodPost
		}
	}
	r, err := http.NewRequest(method, url, strings.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	if name, password, ok := strings.Cut(user, ":"); ok {
		r.SetBasicAuth(name, password)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(body)
}

// freeAddress returns an address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr())
}
