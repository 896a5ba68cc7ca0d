package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// A firefox is a headless Firefox that is driven by Marionette: each message is
// JSON with its length and a colon in front.
type firefox struct {
	*testing.T
	conn net.Conn
	in   *bufio.Reader
	last int // ID of the last command
}

// startFirefox starts Firefox in light or dark mode. It skips the test if Firefox
// isn't installed.
func startFirefox(t *testing.T, dark bool) *firefox {
	t.Helper()
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		if program, err = exec.LookPath("firefox"); err != nil {
			t.Skip("Firefox is not installed")
		}
	}
	profile := t.TempDir()
	scheme := map[bool]int{true: 0, false: 1}[dark]
	prefs := fmt.Sprintf("user_pref('marionette.port', 0);\nuser_pref('layout.css.prefers-color-scheme.content-override', %d);\n", scheme)
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(prefs), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile)
	cmd.Env = append(os.Environ(), "HOME="+profile)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var port []byte
	for deadline := time.Now().Add(patience); len(port) == 0; time.Sleep(100 * time.Millisecond) {
		if port, _ = os.ReadFile(filepath.Join(profile, "MarionetteActivePort")); time.Now().After(deadline) {
			t.Fatal("Firefox does not start")
		}
	}
	conn, err := net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	f := &firefox{T: t, conn: conn, in: bufio.NewReader(conn)}
	f.read() // its name
	f.do("WebDriver:NewSession", map[string]any{})
	t.Cleanup(func() { f.do("Marionette:Quit", map[string]any{"flags": []string{"eForceQuit"}}) })
	return f
}

func (f *firefox) read() []byte {
	f.Helper()
	f.conn.SetReadDeadline(time.Now().Add(patience))
	size, err := f.in.ReadString(':')
	if err != nil {
		f.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSuffix(size, ":"))
	if err != nil {
		f.Fatal(err)
	}
	message := make([]byte, n)
	if _, err := io.ReadFull(f.in, message); err != nil {
		f.Fatal(err)
	}
	return message
}

// do runs a command and returns its result.
func (f *firefox) do(command string, params map[string]any) json.RawMessage {
	f.Helper()
	f.last++
	message, err := json.Marshal([]any{0, f.last, command, params})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := fmt.Fprintf(f.conn, "%d:%s", len(message), message); err != nil {
		f.Fatal(err)
	}
	var answer [4]json.RawMessage // 1, ID, error, result
	if err := json.Unmarshal(f.read(), &answer); err != nil {
		f.Fatal(err)
	}
	if string(answer[2]) != "null" {
		f.Fatalf("%s: %s", command, answer[2])
	}
	return answer[3]
}

// run runs the body of an async function in the page and stores its result in v,
// unless v is nil.
func (f *firefox) run(v any, js string) {
	f.Helper()
	script := "const done = arguments[0]; (async () => {" + js + "})().then(v => done(JSON.stringify(v ?? null)), e => done('!' + e + e.stack))"
	result := f.do("WebDriver:ExecuteAsyncScript", map[string]any{"script": script, "args": []any{}})
	var text struct{ Value string }
	if err := json.Unmarshal(result, &text); err != nil || strings.HasPrefix(text.Value, "!") {
		f.Fatalf("%s: %v%s", js, err, result)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal([]byte(text.Value), v); err != nil {
		f.Fatal(err)
	}
}

// text returns the text of the elements that match a selector.
func (f *firefox) text(selector string) (text string) {
	f.Helper()
	f.run(&text, "return [...document.querySelectorAll('"+selector+"')].map(e => e.innerText).join(' ').replace(/\\s+/g, ' ')")
	return text
}

// open opens the page of a Mux and waits for its rows.
func (f *firefox) open(m *muxmaster.Mux, fragment string) {
	f.Helper()
	srv := httptest.NewServer(m)
	f.Cleanup(srv.Close)
	f.do("WebDriver:Navigate", map[string]any{"url": srv.URL + "/debug/routes" + fragment})
	f.wait("[data-ready]")
}

// wait waits until an element exists.
func (f *firefox) wait(selector string) {
	f.Helper()
	f.run(nil, "while (!document.querySelector('"+selector+"')) await new Promise(r => setTimeout(r, 50))")
}

// press types keys into the page.
func (f *firefox) press(keys ...string) {
	f.Helper()
	var actions []any
	for _, key := range keys {
		for _, kind := range []string{"keyDown", "keyUp"} {
			actions = append(actions, map[string]any{"type": kind, "value": key})
		}
	}
	f.do("WebDriver:PerformActions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": actions}}})
}

// setWidth sets the width of the page. Windows of Firefox have at least 500
// pixels, so it makes the page narrower than its window, as setViewport of
// WebDriver BiDi does.
func (f *firefox) setWidth(pixels int) {
	f.Helper()
	f.do("Marionette:SetContext", map[string]any{"value": "chrome"})
	f.do("WebDriver:ExecuteScript", map[string]any{
		"script": "const style = window.gBrowser.selectedBrowser.style; style.minWidth = style.maxWidth = arguments[0] + 'px'",
		"args":   []any{pixels},
	})
	f.do("Marionette:SetContext", map[string]any{"value": "content"})
	f.run(nil, fmt.Sprintf("while (innerWidth !== %d) await new Promise(r => setTimeout(r, 50))", pixels))
}

// The keys of WebDriver.
const (
	arrowDown, arrowRight, arrowLeft, escape = "\uE015", "\uE014", "\uE012", "\uE00C"
)

// TestFirefox checks in Firefox what the other tests check in Chromium: the
// rows, the search, the keyboard, an explained request, the layout of a page 390
// pixels wide, contrast and names with axe, and 5,000 routes.
func TestFirefox(t *testing.T) {
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, dark := range []bool{false, true} {
		t.Run(fmt.Sprintf("dark %v", dark), func(t *testing.T) {
			f := startFirefox(t, dark)
			f.do("WebDriver:SetTimeouts", map[string]any{"script": patience.Milliseconds(), "pageLoad": patience.Milliseconds()})
			f.open(newShop(), "#method=GET&path=/api/v1/products/12")
			f.wait("#answer .verdict")
			if got := f.text("#answer"); !strings.Contains(got, "Served by GET /api/v1/products/{id:[0-9]+}") {
				t.Errorf("explain: got %q", got)
			}
			if got := f.text("#summary"); got != "29 routes" {
				t.Errorf("the count: got %q", got)
			}
			f.do("WebDriver:SetWindowRect", map[string]any{"width": 1400, "height": 900})
			for _, width := range []int{1400, 390} {
				f.setWidth(width)
				var page struct {
					Width, Inner int
					Dark         bool
				}
				f.run(&page, "return {width: document.documentElement.scrollWidth, inner: innerWidth, dark: matchMedia('(prefers-color-scheme: dark)').matches}")
				if page.Width > page.Inner || page.Inner != width || page.Dark != dark {
					t.Errorf("%d pixels wide: the page is %+v", width, page)
				}
				var violations []string
				f.run(&violations, string(axe)+"; return (await axe.run()).violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html + n.failureSummary).join(', '))")
				for _, v := range violations {
					t.Errorf("%d pixels wide: axe: %s", width, v)
				}
			}
			f.run(nil, "document.activeElement.blur()")
			for _, step := range []struct{ key, want string }{
				{"/", "search"}, {escape, "search"}, {arrowDown, "GET / browser.shop.home"}, {arrowDown, "/admin mount"},
				{arrowRight, "/orders route"}, {arrowDown, "GET /admin/orders"}, {arrowLeft, "/orders route"}, {"e", "path"},
			} {
				f.press(step.key)
				var focus string
				f.run(&focus, "const e = document.activeElement; return e.id || e.innerText.replace(/\\s+/g, ' ').trim()")
				if !strings.HasPrefix(focus, step.want) {
					t.Fatalf("after %q the focus is on %q, want %q", step.key, focus, step.want)
				}
			}
			f.run(nil, "const s = document.getElementById('search'); s.value = 'invoice'; s.dispatchEvent(new Event('input'))")
			if got := f.text("#tree .route > summary > .path"); got != "/api/v1/orders/:id/invoice.{format:pdf|html}" {
				t.Errorf("search: got %q", got)
			}
			f.open(newLarge(), "")
			var paint float64
			f.run(&paint, "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1")
			t.Logf("5,000 routes: first paint after %.0f ms", paint)
			if got := f.text("#summary"); got != "5,001 routes" || paint < 0 || paint > 10_000 {
				t.Errorf("5,000 routes: got %q, first paint after %.0f ms", got, paint)
			}
		})
	}
}
