package engine

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var overlayFlag = flag.String("nethttp", "", "TestNetHTTP only writes overlay.json into this absolute `directory`, for tests of other programs")

// differs lists the tests of net/http that fail with the engine, and the
// reason. docs/engine.md has the list for users.
var differs = map[string]string{
	"TestServerShutdown":                        "reads an unexported field of http.Server",
	"TestServerValidatesHostHeader":             "accepts hosts that RFC 9112 section 3.2 requires to refuse",
	"TestUnsupportedTransferEncodingsReturn501": "RFC 9112 section 6.3 requires the status 400",
	"TestH12_HandlerWritesTooLittle":            "over HTTP/2, the engine resets a stream whose body is shorter than declared",
}

func init() {
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		for _, name := range []string{"Serve_NoTLSConfig", "Serve_WithTLSConfig", "Serve_H2TLSConfig"} {
			differs["TestAutomaticHTTP2_"+name] = "since Go 1.27, the functions in srv.TLSNextProto only mark that HTTP/2 is enabled"
		}
	}
}

// retains lists tests of net/http whose handler passes its request to the test,
// which reads it after the handler has returned. Recycle forbids that: these
// tests may fail with Recycle, depending on when the next request arrives.
var retains = map[string]string{
	"TestConnectRequest":          "over HTTP/2, a request of another test may reuse the request",
	"TestStarRequestMethod":       "over HTTP/2, a request of another test may reuse the request",
	"TestConsumingBodyOnNextConn": "the second request of the connection reuses the first one",
}

// TestNetHTTP runs the tests of net/http with an http.Server that forwards each
// call to an engine. The tests in differs must fail, those in retains may fail
// with Recycle, all others must pass.
func TestNetHTTP(t *testing.T) {
	if *overlayFlag != "" {
		overlayNetHTTP(t, *overlayFlag)
		return
	}
	run := buildNetHTTP(t)
	for _, mode := range []string{"default", "recycle"} {
		t.Run(mode, func(t *testing.T) {
			failed, out := run(t, mode, ".")
			for _, name := range failed {
				switch {
				case differs[name] != "" || mode == "recycle" && retains[name] != "":
				case failsAlone(t, run, mode, name):
					t.Errorf("%s fails", name)
				}
			}
			for name := range differs {
				if !slices.Contains(failed, name) {
					t.Errorf("%s passes, but differs lists it: %s", name, differs[name])
				}
			}
			if t.Failed() {
				t.Errorf("output:\n%s", out[:min(len(out), 20_000)])
			}
		})
	}
}

// failsAlone reports whether a test that has failed also fails when it runs
// alone, three times. Some tests of net/http expect an event within a fixed
// time. On a busy machine they sometimes fail among the others, with or without
// the engine.
func failsAlone(t *testing.T, run runNetHTTP, mode, name string) bool {
	for range 3 {
		failed, out := run(t, mode, "^"+name+"$")
		if len(failed) == 0 {
			t.Logf("%s failed among the others, but passes alone", name)
			return false
		}
		t.Logf("%s fails alone:\n%s", name, out[:min(len(out), 5000)])
	}
	return true
}

// A runNetHTTP runs the tests of net/http whose names match a pattern. It
// returns the names of those that fail, and the output.
type runNetHTTP func(t *testing.T, mode, pattern string) (failed []string, out []byte)

// overlayNetHTTP writes an overlay of source code into the directory temp, with
// which each http.Server uses the engine in programs that import this package. It
// replaces the file of http.Server and adds a file to this package. netHTTP is the
// directory of net/http.
func overlayNetHTTP(t *testing.T, temp string) (overlay, netHTTP string) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output() // runtime.GOROOT is empty in a binary compiled with -trimpath
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	netHTTP = filepath.Join(strings.TrimSpace(string(out)), "src/net/http")
	server, err := os.ReadFile(filepath.Join(netHTTP, "server.go"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) string {
		name = filepath.Join(temp, name)
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(netHTTP, "server.go"):      write("server.go", []byte(patchServer(t, string(server)))),
		filepath.Join(netHTTP, "engine_test.go"): write("engine_test.go", []byte("package http_test\n\nimport _ \""+packagePath+"\"\n")),
		filepath.Join(here, "glue.go"):           filepath.Join(here, "testdata/nethttp/glue.go.txt"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return write("overlay.json", list), netHTTP
}

// buildNetHTTP compiles the tests of net/http with the engine.
func buildNetHTTP(t *testing.T) runNetHTTP {
	t.Helper()
	temp := t.TempDir()
	overlay, netHTTP := overlayNetHTTP(t, temp)
	program := filepath.Join(temp, "http.test")
	build := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-c", "-o", program, "net/http")
	build.Env = append(os.Environ(), "GOMODCACHE="+temp) // no overlay may replace a file below it, where the go command keeps other releases of Go
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(t *testing.T, mode, pattern string) (failed []string, out []byte) {
		cmd := exec.Command(program, "-test.short", "-test.timeout=5m", "-test.run="+pattern)
		cmd.Dir, cmd.Env = netHTTP, os.Environ()
		if mode == "recycle" {
			cmd.Env = append(cmd.Env, "ENGINE_RECYCLE=1")
		}
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 { // 2 is a panic or the timeout
			t.Fatalf("%s, %s: %v\n%s", mode, pattern, err, out[:min(len(out), 20_000)])
		}
		for _, m := range regexp.MustCompile(`(?m)^--- FAIL: (\S+)`).FindAllSubmatch(out, -1) {
			failed = append(failed, string(m[1]))
		}
		return failed, out
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
