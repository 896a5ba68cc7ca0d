package browser

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// A build is a directory as a build tool writes it.
type build struct {
	head, body                   string // of index.html
	script, next, library, style string // files; next is the script of the next release
	start                        string // of the script
}

var builds = map[string]build{
	"Vite": {
		head: `<script type="module" crossorigin src="/assets/index-BkZ3x9Qd.js"></script>
			<link rel="modulepreload" crossorigin href="/assets/vendor-DQ8v0zQx.js">
			<link rel="stylesheet" crossorigin href="/assets/index-DiwrgTda.css">`,
		script: "assets/index-BkZ3x9Qd.js", next: "assets/index-C7qTz0Kf.js", library: "assets/vendor-DQ8v0zQx.js", style: "assets/index-DiwrgTda.css",
		start: `import "./vendor-DQ8v0zQx.js"; `,
	},
	"CRA": {
		head: `<script defer="defer" src="/static/js/787.1c0f9a2e.chunk.js"></script><script defer="defer" src="/static/js/main.8a1b0c2d.js"></script>
			<link href="/static/css/main.3f2a9c1b.css" rel="stylesheet">`,
		script: "static/js/main.8a1b0c2d.js", next: "static/js/main.5d6e7f81.js", library: "static/js/787.1c0f9a2e.chunk.js", style: "static/css/main.3f2a9c1b.css",
	},
	"Angular": {
		head:   `<base href="/"><link rel="stylesheet" href="styles-2QZ4DX7K.css"><link rel="modulepreload" href="chunk-MUJJPE4O.js">`,
		body:   `<script src="main-7XK2QZ4D.js" type="module"></script>`,
		script: "main-7XK2QZ4D.js", next: "main-FFHMD2TL.js", library: "chunk-MUJJPE4O.js", style: "styles-2QZ4DX7K.css",
		start: `import "./chunk-MUJJPE4O.js"; `,
	},
}

// write writes a release of the build into dir, with compressed files if
// siblings is set. All files of all releases have the same modification time, as
// in reproducible builds.
func (b build) write(t *testing.T, dir, library string, release int, siblings bool) {
	t.Helper()
	head, script := b.head, b.script
	if release > 1 {
		head, script = strings.ReplaceAll(head, filepath.Base(b.script), filepath.Base(b.next)), b.next
		b.body = strings.ReplaceAll(b.body, filepath.Base(b.script), filepath.Base(b.next))
	}
	for name, text := range map[string]string{
		"index.html": `<!doctype html><html lang="en"><head><title>app</title><link rel="icon" href="/favicon.svg">` + head +
			`</head><body><div id="root"></div>` + b.body + `</body></html>`,
		"favicon.svg": `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		script:        fmt.Sprint(b.start, `document.getElementById("root").textContent = "release `, release, ` at " + location.pathname`),
		b.library:     library,
		b.style:       `#root { color: rgb(1, 2, 3) }`,
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
		if siblings {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write([]byte(text))
			z.Close()
			writeFile(t, filepath.Join(dir, name+".gz"), b.Bytes())
			brotli := exec.Command("node", "-e", `process.stdout.write(zlib.brotliCompressSync(fs.readFileSync(0)))`)
			brotli.Stdin = strings.NewReader(text)
			out, err := brotli.Output()
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, name+".br"), out)
		}
	}
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	fixed := time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+".new", text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name+".new", fixed, fixed); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

// traffic counts the responses of a server.
type traffic struct {
	mu    sync.Mutex
	bytes int64
	lines []string // path and status
}

func (tr *traffic) observe(r *http.Request, status int, bytes int64, _ time.Duration) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.bytes += bytes
	if !strings.Contains(r.URL.Path, "favicon") { // asked for at any time
		tr.lines = append(tr.lines, fmt.Sprint(r.URL.Path, " ", status))
	}
}

// take returns the responses since the last call.
func (tr *traffic) take() (bytes int64, lines []string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	bytes, lines = tr.bytes, slices.Sorted(slices.Values(tr.lines))
	tr.bytes, tr.lines = 0, nil
	return bytes, lines
}

// visit opens a page of the application and waits for its text.
func visit(t *testing.T, p *tab, path, want string) {
	t.Helper()
	p.do(chromedp.Navigate(p.url + path))
	p.do(chromedp.WaitReady("#root"))
	deadline := time.Now().Add(patience)
	for eval[string](p, `document.getElementById("root").textContent`) != want {
		if time.Now().After(deadline) {
			t.Fatalf("%s: the page says %q, want %q", path, eval[string](p, `document.body.textContent`), want)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if color := eval[string](p, `getComputedStyle(document.getElementById("root")).color`); color != "rgb(1, 2, 3)" {
		t.Errorf("%s: the color is %s; the style sheet isn't there", path, color)
	}
}

// TestFirstPaint serves what three build tools write with ServeSPA, without and
// with compressed siblings, and reports the bytes of the first visit. On the
// second visit the browser asks only for index.html, which hasn't changed. After
// a release it loads what has changed.
func TestFirstPaint(t *testing.T) {
	library, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range slices.Sorted(maps.Keys(builds)) {
		b := builds[tool]
		var first [2]int64
		for i, siblings := range []bool{false, true} {
			dir := t.TempDir()
			b.write(t, dir, string(library), 1, siblings)
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			seen := &traffic{}
			mux := muxmaster.New()
			mux.Pre(middleware.Observe(seen.observe))
			mux.ServeSPA("/", root.FS())
			p := newTab(t, mux, desktop)

			visit(t, p, "/", "release 1 at /")
			var lines []string
			first[i], lines = seen.take()
			if len(lines) != 4 || slices.ContainsFunc(lines, func(s string) bool { return !strings.HasSuffix(s, " 200") }) {
				t.Errorf("%s, first visit: %q", tool, lines)
			}
			visit(t, p, "/users/5", "release 1 at /users/5")
			if _, lines := seen.take(); !slices.Equal(lines, []string{"/users/5 200"}) {
				t.Errorf("%s, another page: %q, want only index.html", tool, lines)
			}
			visit(t, p, "/", "release 1 at /")
			if bytes, lines := seen.take(); bytes != 0 || !slices.Equal(lines, []string{"/ 304"}) {
				t.Errorf("%s, second visit: %d bytes, %q, want a 304 of index.html", tool, bytes, lines)
			}
			b.write(t, dir, string(library), 2, siblings)
			visit(t, p, "/", "release 2 at /")
			_, lines = seen.take()
			if want := []string{"/ 200", "/" + b.next + " 200"}; !slices.Equal(lines, want) {
				t.Errorf("%s, after a release: %q, want %q", tool, lines, want)
			}
		}
		t.Logf("%s: %d bytes at the first visit, %d with compressed files", tool, first[0], first[1])
		if first[1]*3 > first[0] {
			t.Errorf("%s: %d bytes with compressed files, %d without", tool, first[1], first[0])
		}
	}
}
