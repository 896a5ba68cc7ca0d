package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/seed-1954dcaa/muxmaster"
)

// A firefox is a page of a headless Firefox that is driven by WebDriver BiDi.
type firefox struct {
	*testing.T
	conn *websocket.Conn
	page string
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
	prefs := fmt.Sprintf("user_pref('layout.css.prefers-color-scheme.content-override', %d);\n", scheme)
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(prefs), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--remote-debugging-port=0", "--no-remote", "--profile", profile)
	cmd.Env = append(os.Environ(), "HOME="+profile)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var server struct {
		Host string `json:"ws_host"`
		Port int    `json:"ws_port"`
	}
	for deadline := time.Now().Add(patience); server.Port == 0; time.Sleep(100 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(profile, "WebDriverBiDiServer.json"))
		if json.Unmarshal(text, &server); time.Now().After(deadline) {
			t.Fatal("Firefox does not start")
		}
	}
	f := &firefox{T: t}
	if f.conn, _, err = websocket.Dial(t.Context(), fmt.Sprintf("ws://%s:%d/session", server.Host, server.Port), nil); err != nil {
		t.Fatal(err)
	}
	f.conn.SetReadLimit(-1)
	var tree struct{ Contexts []struct{ Context string } }
	f.do("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	f.do("browsingContext.getTree", map[string]any{}, &tree)
	f.page = tree.Contexts[0].Context
	t.Cleanup(func() { f.do("browser.close", map[string]any{}, nil) })
	return f
}

// do runs a command, in the page, and stores its result in v.
func (f *firefox) do(command string, params map[string]any, v any) {
	f.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if f.page != "" {
		params["context"] = f.page
	}
	f.last++
	err := wsjson.Write(ctx, f.conn, map[string]any{"id": f.last, "method": command, "params": params})
	answer := struct {
		Type, Error, Message string
		Result               json.RawMessage
	}{}
	if err == nil {
		err = wsjson.Read(ctx, f.conn, &answer)
	}
	if err == nil && v != nil {
		err = json.Unmarshal(answer.Result, v)
	}
	if err != nil || answer.Type != "success" {
		f.Fatalf("%s: %v: %s %s", command, err, answer.Error, answer.Message)
	}
}

// run runs the body of an async function in the page and stores its result in v,
// unless v is nil.
func (f *firefox) run(v any, js string) {
	f.Helper()
	var answer struct {
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	f.do("script.evaluate", map[string]any{
		"expression": "(async () => {" + js + "})().then(v => JSON.stringify(v ?? null))",
		"target":     map[string]any{"context": f.page}, "awaitPromise": true,
	}, &answer)
	if err := json.Unmarshal([]byte(answer.Result.Value), &v); err != nil {
		f.Fatalf("%s: %v: %s", js, err, answer.ExceptionDetails.Text)
	}
}

// text returns the text of the elements that match a selector.
func (f *firefox) text(selector string) (text string) {
	f.Helper()
	f.run(&text, "return [...document.querySelectorAll('"+selector+"')].map(e => e.innerText).join(' ').replace(/\\s+/g, ' ')")
	return text
}

// open opens the page of a Mux and waits for an element.
func (f *firefox) open(m *muxmaster.Mux, fragment, selector string) {
	f.Helper()
	srv := httptest.NewServer(m)
	f.Cleanup(srv.Close)
	f.do("browsingContext.navigate", map[string]any{"url": srv.URL + "/debug/routes" + fragment, "wait": "complete"}, nil)
	f.run(nil, "while (!document.querySelector('"+selector+"')) await new Promise(r => setTimeout(r, 50))")
}

// press types a key into the page.
func (f *firefox) press(key string) {
	f.Helper()
	f.do("input.performActions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": []any{
		map[string]any{"type": "keyDown", "value": key}, map[string]any{"type": "keyUp", "value": key},
	}}}}, nil)
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
			f.open(newShop(), "#method=GET&path=/api/v1/products/12", "#answer .verdict")
			if got := f.text("#answer"); !strings.Contains(got, "Served by GET /api/v1/products/{id:[0-9]+}") {
				t.Errorf("explain: got %q", got)
			}
			if got := f.text("#summary"); got != "29 routes" {
				t.Errorf("the count: got %q", got)
			}
			for _, width := range []int{1400, 390} {
				f.do("browsingContext.setViewport", map[string]any{"viewport": map[string]any{"width": width, "height": 900}}, nil)
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
			f.open(newLarge(), "", "[data-ready]")
			var paint float64
			f.run(&paint, "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1")
			t.Logf("5,000 routes: first paint after %.0f ms", paint)
			if got := f.text("#summary"); got != "5,001 routes" || paint < 0 || paint > 10_000 {
				t.Errorf("5,000 routes: got %q, first paint after %.0f ms", got, paint)
			}
		})
	}
}
