package engine

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// differs lists the tests of net/http that fail with the engine, and the
// reason. docs/engine.md has the list for users.
var differs = map[string]string{
	"TestServerShutdown":             "reads an unexported field of http.Server",
	"TestH12_HandlerWritesTooLittle": "over HTTP/2, the engine resets a stream whose body is shorter than declared",
}

func init() {
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		for _, name := range []string{"Serve_NoTLSConfig", "Serve_WithTLSConfig", "Serve_H2TLSConfig"} {
			differs["TestAutomaticHTTP2_"+name] = "since Go 1.27, the functions in srv.TLSNextProto only mark that HTTP/2 is enabled"
		}
	}
}

// TestNetHTTP runs the tests of net/http with the engine. It creates a copy of
// GOROOT whose http.Server forwards each call to an engine. The tests in
// differs must fail, all others must pass.
func TestNetHTTP(t *testing.T) {
	root := patchedRoot(t)
	for _, mode := range []string{"default", "recycle"} {
		t.Run(mode, func(t *testing.T) {
			cmd := exec.Command(filepath.Join(root, "bin", "go"), "test", "-vet=off", "-short", "-count=1", "-timeout=5m", "net/http")
			cmd.Dir = filepath.Join(root, "src")
			cmd.Env = append(os.Environ(), "GOROOT="+root, "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=")
			if mode == "recycle" {
				cmd.Env = append(cmd.Env, "ENGINE_RECYCLE=1")
			}
			out, err := cmd.CombinedOutput()
			if _, ok := err.(*exec.ExitError); err != nil && !ok {
				t.Fatal(err)
			}
			var failed []string
			for _, m := range regexp.MustCompile(`(?m)^--- FAIL: (\S+)`).FindAllSubmatch(out, -1) {
				failed = append(failed, string(m[1]))
			}
			for _, name := range failed {
				if differs[name] == "" {
					t.Errorf("%s fails", name)
				}
			}
			for name := range differs {
				if !slices.Contains(failed, name) {
					t.Errorf("%s passes, but differs lists it: %s", name, differs[name])
				}
			}
			if !bytes.Contains(out, []byte("\nFAIL\tnet/http\t")) || t.Failed() {
				t.Errorf("output:\n%s", out[:min(len(out), 20_000)])
			}
		})
	}
}

// patchedRoot creates a GOROOT of links, with a changed copy of net/http.
func patchedRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output() // runtime.GOROOT is empty in a binary compiled with -trimpath
	if err != nil {
		t.Fatal(err)
	}
	from, to := strings.TrimSpace(string(out)), t.TempDir()
	for _, dir := range []string{".", "src", "src/net"} {
		linkAll(t, filepath.Join(from, dir), filepath.Join(to, dir), "src", "net", "http", "go.mod", "go.sum")
	}
	for _, f := range []string{"src/go.mod", "src/go.sum", "go.env"} {
		copyFile(t, filepath.Join(from, f), filepath.Join(to, f), nil)
	}
	httpDir := filepath.Join(to, "src/net/http")
	if err := os.CopyFS(httpDir, os.DirFS(filepath.Join(from, "src/net/http"))); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(from, "src/net/http/server.go"), filepath.Join(httpDir, "server.go"), patchServer)

	engineDir := filepath.Join(httpDir, "internal/muxengine")
	copyEngine(t, ".", engineDir)
	copyFile(t, "testdata/nethttp/glue.go.txt", filepath.Join(engineDir, "glue.go"), nil)
	link := "package http_test\n\nimport _ \"net/http/internal/muxengine\"\n"
	if err := os.WriteFile(filepath.Join(httpDir, "engine_test.go"), []byte(link), 0o666); err != nil {
		t.Fatal(err)
	}
	return to
}

// copyEngine copies a directory of the engine, with the directories below it,
// but no tests.
func copyEngine(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		f, name := filepath.Join(from, e.Name()), e.Name()
		switch {
		case e.IsDir() && name != "testdata":
			copyEngine(t, f, filepath.Join(to, name))
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			copyFile(t, f, filepath.Join(to, name), func(_ *testing.T, s string) string {
				return strings.ReplaceAll(s, packagePath+"/internal/", "net/http/internal/muxengine/internal/")
			})
		}
	}
}

func linkAll(t *testing.T, from, to string, except ...string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if slices.Contains(except, e.Name()) || e.Name() == "go.env" {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

func copyFile(t *testing.T, from, to string, change func(*testing.T, string) string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		b = []byte(change(t, string(b)))
	}
	os.Remove(to)
	if err := os.WriteFile(to, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// patchServer makes http.Server call the hooks in testdata/nethttp/glue.go.txt.
func patchServer(t *testing.T, s string) string {
	for _, p := range []struct{ after, insert string }{
		{"func (s *Server) Serve(l net.Listener) error {\n", `
			if !EngineOwn(l) {
				if fn := testHookServerServe; fn != nil {
					fn(s, l)
				}
				return EngineServe(s, l)
			}
			var testHookServerServe func(*Server, net.Listener)
		`},
		{"func (s *Server) ServeTLS(l net.Listener, certFile, keyFile string) error {\n", `
			if fn := testHookServerServe; fn != nil {
				fn(s, l)
			}
			if EngineServeTLS != nil {
				return EngineServeTLS(s, l, certFile, keyFile)
			}
		`},
		{"func (s *Server) Close() error {\n", `
			if ok, err := EngineClose(s); ok {
				return err
			}
		`},
		{"func (s *Server) Shutdown(ctx context.Context) error {\n", `
			if ok, err := EngineShutdown(s, ctx); ok {
				return err
			}
		`},
		{"func (s *Server) SetKeepAlivesEnabled(v bool) {\n", `
			if EngineKeepAlives(s, v) {
				return
			}
		`},
	} {
		if strings.Count(s, p.after) != 1 {
			t.Fatalf("net/http's server.go has changed: %q", p.after)
		}
		s = strings.Replace(s, p.after, p.after+p.insert, 1)
	}
	return s + `
var (
	EngineOwn        = func(net.Listener) bool { return true }
	EngineServe      func(*Server, net.Listener) error
	EngineServeTLS   func(*Server, net.Listener, string, string) error
	EngineClose      = func(*Server) (bool, error) { return false, nil }
	EngineShutdown   = func(*Server, context.Context) (bool, error) { return false, nil }
	EngineKeepAlives = func(*Server, bool) bool { return false }
)
`
}
