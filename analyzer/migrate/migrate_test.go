package migrate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/analyzer/migrate"
)

// address is the address on which the programs listen.
const address = ":3333"

// A request is sent to a program before and after the migration. The responses
// must be the same.
type request struct {
	line   string // METHOD target
	header string // Name: value
	body   string
	// status compares only the status, because the texts of errors differ.
	status bool
}

// get returns GET requests for the targets.
func get(targets ...string) []request {
	var all []request
	for _, t := range targets {
		all = append(all, request{line: "GET " + t})
	}
	return all
}

// status returns requests of which only the response status is compared.
func status(lines ...string) []request {
	var all []request
	for _, l := range lines {
		all = append(all, request{line: l, status: true})
	}
	return all
}

// A program is a program for another router to migrate.
type program struct {
	router, dir string // directory here, or in the router's module
	module      string // with its version
	requests    []request
}

const chiModule = "github.com/go-chi/chi/v5@v5.5.0"

var programs = []program{
	{"chi", "testdata/chi", chiModule, slices.Concat(
		get("/", "/files/", "/files/a/b%20c", "/one", "/one/", "/any", "/private", "/articles/list", "/articles/11-12", "/articles/7/view",
			"/articles/7/view/", "/admin/accounts/me", "/raw", "/raw/x/y", "/pages/1", "/pages/", "/nowhere",
			"/teams/a/members", "/std/7", "/notes:batch", "/notes/7:read", "/all/count", "/inner/all/count", "/inner/none"),
		[]request{{line: "POST /any"}, {line: "PUT /put"}, {line: "POST /post"}, {line: "DELETE /articles/8/view"}, {line: "POST /private"}, {line: "POST /std/7"}},
		status("POST /put", "GET /articles/111-12/x", "PATCH /articles/8/view", "GET /files", "GET /articles", "GET /articles/", "GET /admin",
			"GET /teams/", "GET /inner", "GET /inner/", "GET /one/x", "GET /notes:other", "GET /notesx", "GET /raw/", "GET /pages/1/", "GET /articles/a%2Fb/view"))},
	{"chi", "_examples/hello-world", chiModule, slices.Concat(get("/"), status("GET /x", "POST /"))},
	{"chi", "_examples/custom-handler", chiModule, get("/", "/?err=1")},
	{"chi", "_examples/pathvalue", chiModule, slices.Concat(get("/users/7"), status("GET /users/", "GET /users/7/"))},
	{"chi", "_examples/limits", chiModule, slices.Concat(get("/", "/ping"), status("GET /panic", "GET /x"))},
	{"chi", "_examples/graceful", chiModule, get("/")},
	{"chi", "_examples/todos-resource", chiModule, slices.Concat(get("/", "/users/1", "/todos/1", "/todos/1/sync", "/users/", "/users", "/todos/"),
		[]request{{line: "POST /todos/"}, {line: "PUT /todos/1"}, {line: "DELETE /users/1"}}, status("GET /todos/1/sync/x", "PATCH /users/1"))},
	{"chi", "_examples/custom-method", chiModule, slices.Concat(
		[]request{{line: "LINK /link"}, {line: "WOOHOO /woo"}, {line: "UNLINK /everything"}, {line: "GET /everything"}}, status("GET /link"))},
	{"gorilla", "testdata/gorilla", "github.com/gorilla/mux@v1.8.1", slices.Concat(
		get("/", "/products", "/products/7", "/articles/go/", "/articles/go/12", "/handle", "/static/a/b.css", "/static/", "/download/a/b", "/download/", "/notes:batch", "/star/*all"),
		[]request{{line: "POST /products"}, {line: "PUT /path"}, {line: "GET /api/users/7", header: "X-Token: secret"}, {line: "GET /api/users/7"},
			{line: "GET /api/posts/all", header: "X-Token: secret"}, {line: "GET /host", header: "Host: www.example.com"}},
		status("GET /nowhere", "DELETE /products", "GET /articles/go", "GET /articles/go/x", "GET /host", "GET /products/",
			"GET /download", "GET /handle/", "GET /products/a/b", "GET /notesx", "GET /notes:other", "GET /star/x"))},
	{"httprouter", "testdata/httprouter", "github.com/julienschmidt/httprouter@v1.3.0", slices.Concat(
		get("/", "/hello/gopher", "/plain/a/b/c", "/plain/a/", "/static/a.txt", "/nowhere"),
		[]request{{line: "PUT /hello/gopher"}, {line: "POST /handler"}, {line: "GET /protected/", header: "Authorization: Basic Z29yZG9uOnNlY3JldCE="},
			{line: "GET /protected/"}},
		status("DELETE /hello/gopher", "GET /static/b.txt"))},
	{"servemux", "testdata/servemux", "", slices.Concat(
		get("/", "/users/7", "/files/a/b", "/files", "/nowhere", "/users/"), []request{{line: "POST /v1/items"}, {line: "PUT /users/7"}})},
	{"gin", "testdata/gin", "github.com/gin-gonic/gin@v1.12.0", slices.Concat(
		get("/ping", "/user/alice", "/user/bob", "/user/bob/send/now", "/welcome", "/welcome?firstname=A&lastname=B", "/moved", "/raw", "/pattern/7",
			"/one", "/any", "/std", "/v1/numbers/4", "/v1/numbers/x", "/items/7", "/late", "/store", "/made", "/handler/7", "/admin/secrets"),
		[]request{{line: "POST /any"}, {line: "POST /form", header: "Content-Type: application/x-www-form-urlencoded", body: "message=hi"},
			{line: "POST /login", body: `{"user":"manu","password":"123"}`}, {line: "POST /login", body: `{"user":"x"}`}, {line: "POST /login", body: `{`},
			{line: "POST /v1/numbers", body: "say"}, {line: "GET /admin/secrets", header: "X-Token: word"},
			{line: "GET /admin/secrets?quick=1", header: "X-Token: word"},
			{line: "GET /guarded/7"}, {line: "GET /guarded/7?w=w", header: "X-Token: word"}, {line: "GET /guarded/7", header: "X-Token: old"},
			{line: "GET /guarded/7?kind=bad", header: "X-Token: word"}, {line: "GET /guarded/7?kind=skip", header: "X-Token: word"},
			{line: "GET /guarded/7?kind=big", header: "X-Token: word"}, {line: "PUT /guarded/7"}, {line: "PUT /guarded/7", header: "X-Token: word"},
			{line: "GET /empty"}, {line: "GET /empty?gone=1"}},
		status("GET /file", "GET /nowhere"))},
	{"echo", "testdata/echo", "github.com/labstack/echo/v5@v5.3.1", slices.Concat(
		get("/", "/users/1", "/show?team=x-men&member=wolverine", "/page", "/files/a/b", "/files/", "/admin/status",
			"/server", "/made", "/any"),
		[]request{{line: "POST /save", header: "Content-Type: application/x-www-form-urlencoded", body: "name=Joe"}, {line: "DELETE /users/2"}},
		status("GET /users/x", "GET /nowhere", "POST /show", "GET /page?old=1", "GET /files", "GET /users/", "GET /admin",
			"GET /admin/", "GET /admin/status/", "GET /any/"))},
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.router+"/"+filepath.Base(p.dir), func(t *testing.T) {
			before, after := prepare(t, p), prepare(t, p)
			result, err := migrate.Run(p.router, after.dir, "./...")
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range result.Notes {
				if n.Blocks || strings.HasPrefix(n.Text, "this comment") {
					t.Errorf("not rewritten: %v: %s", n.Position, n.Text)
				}
			}
			if len(result.Files) == 0 {
				t.Fatal("nothing is rewritten")
			}
			if err := result.Write(); err != nil {
				t.Fatal(err)
			}
			for _, f := range result.Files {
				if p.module != "" && bytes.Contains(f.After, []byte(`"`+moduleOf(p.module)+`"`)) {
					t.Errorf("%s still imports %s", f.Name, moduleOf(p.module))
				}
			}
			build(t, before, after)
			before.start(t)
			after.start(t)
			after.test(t)
			for _, r := range p.requests {
				was, is := before.response(t, r), after.response(t, r)
				if was != is {
					t.Errorf("%s %s: the response before:\n%s\nafter:\n%s", r.line, r.header, was, is)
				}
			}
		})
	}
}

func moduleOf(s string) string {
	path, _, _ := strings.Cut(s, "@")
	return path
}

// environment allows the go command to change go.mod and go.sum without using
// the checksum database.
func environment(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{"GOFLAGS": "-mod=mod", "GOWORK": "off", "GOSUMDB": "off"} {
		t.Setenv(name, value)
	}
}

// A service is a copy of a program.
type service struct{ dir, address string }

// prepare copies the program, and changes the address on which it listens.
func prepare(t *testing.T, p program) *service {
	t.Helper()
	environment(t)
	from := p.dir
	if !strings.HasPrefix(from, "testdata/") {
		from = filepath.Join(moduleDir(t, p.module), from)
	}
	s := &service{t.TempDir(), freeAddress(t)}
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, name)
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(s.dir, rel), 0o777)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte("0.0.0.0"+address), []byte(address))
		text = bytes.ReplaceAll(text, []byte(address), []byte(s.address))
		return os.WriteFile(filepath.Join(s.dir, rel), text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.goMod(t, p.module)
	return s
}

func (s *service) goMod(t *testing.T, module string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text := "module example.com/program\n\ngo 1.26\n\nrequire github.com/seed-1954dcaa/muxmaster v0.0.0\n\n" +
		"replace github.com/seed-1954dcaa/muxmaster => " + root + "\n"
	if path, version, ok := strings.Cut(module, "@"); ok {
		text += "\nrequire " + path + " " + version + "\n"
	}
	if err := os.WriteFile(filepath.Join(s.dir, "go.mod"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// moduleDir downloads a module and returns its directory.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var m struct{ Dir, Error string }
	if e := json.Unmarshal(out, &m); e != nil || m.Dir == "" {
		t.Fatalf("go mod download %s: %v %v %s", module, err, e, m.Error)
	}
	return m.Dir
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (s *service) binary() string { return filepath.Join(s.dir, "program.exe") }

// build builds the services, one per processor at a time.
func build(t *testing.T, services ...*service) {
	t.Helper()
	errs := make([]error, len(services))
	var wg sync.WaitGroup
	free := make(chan bool, runtime.NumCPU())
	for i, s := range services {
		wg.Go(func() {
			free <- true
			defer func() { <-free }()
			cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", s.binary(), ".")
			cmd.Dir = s.dir
			if out, err := cmd.CombinedOutput(); err != nil {
				errs[i] = fmt.Errorf("%s: go build: %w\n%s", s.dir, err, out)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// start starts the service and stops it when the test ends.
func (s *service) start(t *testing.T) {
	t.Helper()
	var log bytes.Buffer
	cmd := exec.Command(s.binary())
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s:\n%s", s.dir, &log)
		}
	})
	retry := time.NewTicker(10 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := net.Dial("tcp", s.address)
		if err == nil {
			conn.Close()
			return
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatal(err)
		}
		select {
		case <-ended:
			t.Fatalf("the program ended:\n%s", &log)
		case <-retry.C:
		}
	}
}

// test runs the program's own tests, if it has any.
func (s *service) test(t *testing.T) {
	t.Helper()
	if tests, _ := filepath.Glob(filepath.Join(s.dir, "*_test.go")); len(tests) == 0 {
		return
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
}

// response returns the response to a request as text: the status, the headers
// set by a handler, and the body.
func (s *service) response(t *testing.T, r request) string {
	t.Helper()
	method, target, _ := strings.Cut(r.line, " ")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.address+target, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if name, value, ok := strings.Cut(r.header, ": "); ok {
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := resp.Status
	if r.status {
		return text
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range resp.Header {
			if strings.HasPrefix(name, "X-") && name != "X-Content-Type-Options" || name == "Location" || name == "Www-Authenticate" {
				if !yield(name) {
					return
				}
			}
		}
	}) {
		text += fmt.Sprintf("\n%s: %s", name, resp.Header.Get(name))
	}
	contentType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	text += "\n" + contentType
	return text + "\n\n" + strings.TrimSuffix(string(body), "\n") // muxmaster.JSON ends with a newline
}

// TestLeft checks programs with parts that can't be rewritten. Exactly the
// lines with a comment "left:" must be reported, with its text, and no file may
// change.
func TestLeft(t *testing.T) {
	for _, p := range []program{
		{router: "chi", dir: "testdata/left/chi", module: chiModule},
		{router: "chi", dir: "testdata/left/chimount", module: chiModule},
		{router: "chi", dir: "testdata/left/chipaths", module: chiModule},
		{router: "chi", dir: "testdata/left/files", module: chiModule},
		{router: "gorilla", dir: "testdata/left/gorillaorder", module: "github.com/gorilla/mux@v1.8.1"},
		{router: "httprouter", dir: "testdata/left/zero", module: "github.com/julienschmidt/httprouter@v1.3.0"},
		{router: "chi", dir: "_examples/router-walk", module: chiModule},
		{router: "chi", dir: "_examples/fileserver", module: chiModule},
		{router: "gorilla", dir: "testdata/left/gorilla", module: "github.com/gorilla/mux@v1.8.1"},
		{router: "httprouter", dir: "testdata/left/httprouter", module: "github.com/julienschmidt/httprouter@v1.3.0"},
		{router: "servemux", dir: "testdata/left/servemux"},
		{router: "gin", dir: "testdata/left/gin", module: "github.com/gin-gonic/gin@v1.12.0"},
		{router: "gin", dir: "testdata/left/ginabort", module: "github.com/gin-gonic/gin@v1.12.0"},
		{router: "gin", dir: "testdata/left/ginorder", module: "github.com/gin-gonic/gin@v1.12.0"},
		{router: "echo", dir: "testdata/left/echo", module: "github.com/labstack/echo/v5@v5.3.1"},
		{router: "echo", dir: "testdata/left/echoorder", module: "github.com/labstack/echo/v4@v4.13.4"},
	} {
		t.Run(p.router+"/"+filepath.Base(p.dir), func(t *testing.T) {
			s := prepare(t, p)
			result, err := migrate.Run(p.router, s.dir, "./...")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range result.Files {
				t.Errorf("%s was changed:\n%s", f.Name, f.Diff())
			}
			if len(result.Behind) == 0 {
				t.Error("Result.Behind is empty")
			}
			type place struct {
				file string
				line int
			}
			left := make(map[place]string)
			for _, n := range result.Notes {
				if n.Blocks {
					left[place{n.Position.Filename, n.Position.Line}] += n.Text + "\n"
				}
			}
			if strings.HasPrefix(p.dir, "_examples") {
				if len(left) == 0 {
					t.Error("no notes")
				}
				return
			}
			files, _ := filepath.Glob(filepath.Join(s.dir, "*.go"))
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for i, line := range strings.Split(string(text), "\n") {
					_, want, ok := strings.Cut(line, "// left: ")
					switch got := left[place{file, i + 1}]; {
					case ok && !strings.Contains(got, want):
						t.Errorf("line %d: got %q, want %q", i+1, got, want)
					case !ok && got != "":
						t.Errorf("line %d: got %q, want nothing: %s", i+1, got, line)
					}
				}
			}
		})
	}
}
