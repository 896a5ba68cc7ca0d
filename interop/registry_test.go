package interop

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// A row is one library, or one aspect of it.
type row struct {
	library string // path of its module, or a package of the standard library
	name    string // common name
	tried   string // description of the test
	glue    string // code needed to use it with the router, if any
	limit   string // what doesn't work, which the row also checks

	// run runs the row on a site. It is nil if it needs generated code: then
	// TestGenerated runs it.
	run func(*site)

	// plain is set if the row also works with http.ServeMux.
	plain bool
	// retains is set if the library uses requests after their end, so the row
	// doesn't run with the engine's Recycle.
	retains bool
	// http1 says why the row doesn't run over HTTP/2, or is "".
	http1 string
	// ownServer is set if the row doesn't use the site's server, so it runs once.
	ownServer bool
}

// families contains all rows, in the order of the document.
var families = []struct {
	title string
	rows  []row
}{
	{"Go's own packages", goRows},
	{"Code generators and RPC", append(codegenRows, rpcRows...)},
	{"CORS", corsRows},
	{"Middleware", middlewareRows},
	{"chi's packages", chiRows},
	{"Sessions and login", authRows},
	{"Shared by several processes", sharedRows},
	{"Protocols", protocolRows},
	{"Pages and files", pageRows},
	{"Observability", observeRows},
}

// TestLibraries runs every row in each mode with each server.
func TestLibraries(t *testing.T) {
	for _, f := range families {
		for _, r := range f.rows {
			if r.run == nil {
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				for _, srv := range servers {
					if r.retains && srv.recycles {
						continue
					}
					for _, mode := range modes {
						t.Run(srv.name+"/"+mode.name, func(t *testing.T) { r.run(newSite(t, mode.new(), srv)) })
					}
					if r.ownServer {
						break
					}
				}
				for i, srv := range http2Servers {
					if r.ownServer || r.http1 != "" || r.retains && srv.recycles {
						break
					}
					t.Run(srv.name, func(t *testing.T) {
						s := newSite(t, modes[i].new(), srv)
						r.run(s)
						if s.http2.Load() == 0 && !t.Failed() {
							t.Error("the row has sent no request over HTTP/2")
						}
					})
				}
				if r.plain {
					t.Run("ServeMux", func(t *testing.T) { r.run(newSite(t, http.NewServeMux(), netHTTP)) })
				}
			})
		}
	}
}

var update = flag.Bool("update", false, "write docs/interop.md")

const document = "../docs/interop.md"

// TestDocument compares docs/interop.md with the rows.
func TestDocument(t *testing.T) {
	want := render(t)
	if *update {
		if err := os.WriteFile(document, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: run go test -run TestDocument -update", document)
	}
}

const intro = `# Libraries that work with the router

Generated from the tests in [interop/](../interop); don't edit. Each line is a test that runs the library, unmodified, over real
connections and under the race detector: ` + "`cd interop && go test -race ./...`" + `. Columns:

- **default**, **pooled**: a ` + "`Mux`" + ` with default settings, and one with ` + "`PoolRequestBundle`" + `, on net/http's server.
- **engine**: both modes on package engine's server, with and without ` + "`Recycle`" + `.
- **HTTP/2**: on package engine's server over HTTP/2, the default mode without and the pooled mode with ` + "`Recycle`" + `.
- **ServeMux**: the same test passes with ` + "`http.ServeMux`" + ` instead of the router, with the same limits; – means that the test uses
  features that ` + "`http.ServeMux`" + ` doesn't have.

`

const programs = `## Programs

[programs/run.sh](../interop/programs/run.sh) replaces the router of these programs, or the server, and runs their own tests. It downloads
their source and edits it with sed.

| program | version | its router or server, and the changes |
|---|---|---|
`

// fetched matches the functions in programs/run.sh, with their comment and the
// downloaded module.
var fetched = regexp.MustCompile(`(?m)((?:^# .*\n)+)\w+\(\) \{\n\tfetch (\S+) (\S+)@(\S+)$`)

// render returns the document.
func render(t *testing.T) []byte {
	versions := versions(t)
	var b bytes.Buffer
	b.WriteString(intro)
	count := 0
	for _, f := range families {
		fmt.Fprintf(&b, "## %s\n\n| library | version | what is tested | default | pooled | engine | HTTP/2 | ServeMux | adapters and limits |\n|---|---|---|---|---|---|---|---|---|\n", f.title)
		for _, r := range f.rows {
			count++
			engine, http2 := "–", "–"
			if !r.ownServer {
				engine = "yes"
				if r.http1 == "" {
					http2 = "yes"
				}
			}
			serveMux := "–"
			if r.plain {
				serveMux = "yes"
			}
			remarks := []string{}
			if r.glue != "" {
				remarks = append(remarks, r.glue)
			}
			if r.http1 != "" {
				remarks = append(remarks, "HTTP/1.1 only: "+r.http1+".")
			}
			if r.limit != "" {
				remarks = append(remarks, "**Limit:** "+r.limit)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | yes | yes | %s | %s | %s | %s |\n", link(r), versions(r.library), r.tried, engine, http2, serveMux, strings.Join(remarks, " "))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d rows.\n\n", count)
	b.WriteString(programs)
	script, err := os.ReadFile("programs/run.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fetched.FindAllSubmatch(script, -1) {
		comment := strings.TrimSpace(strings.ReplaceAll("\n"+string(m[1]), "\n# ", " "))
		fmt.Fprintf(&b, "| [%s](https://pkg.go.dev/%s) | %s | %s |\n", m[2], m[3], m[4], comment)
	}
	return b.Bytes()
}

func link(r row) string { return fmt.Sprintf("[%s](https://pkg.go.dev/%s)", r.name, r.library) }

// versions returns a function that returns the version of the module that
// contains a package.
func versions(t *testing.T) func(pkg string) string {
	t.Helper()
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(pkg string) string {
		if first, _, _ := strings.Cut(pkg, "/"); !strings.Contains(first, ".") {
			return "Go " + mod.Go.Version + " or later"
		}
		best, version := "", ""
		for _, r := range mod.Require {
			if (pkg == r.Mod.Path || strings.HasPrefix(pkg, r.Mod.Path+"/")) && len(r.Mod.Path) > len(best) {
				best, version = r.Mod.Path, r.Mod.Version
			}
		}
		if best == "" {
			t.Errorf("go.mod doesn't require %s", pkg)
		}
		return version
	}
}
