package browser

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var playgroundPictures = flag.String("playground", "", "write pictures of the playground to this `directory`")

// TestPlayground uses the playground of the documentation site. TestSite checks
// its layout and contrast.
func TestPlayground(t *testing.T) {
	dir := buildSite(t)
	if info, err := os.Stat(filepath.Join(dir, "playground", "playground.wasm.gz")); err != nil || info.Size() > 2<<20 {
		t.Errorf("the program: %v, %v; want at most 2 MB", info, err)
	}
	p := newTab(t, http.FileServer(http.Dir(dir)), desktop)
	const verdict = "#answer strong, #answer pre"
	p.do(chromedp.Navigate(p.url+"/playground/#routes=GET+/a/{id}%0AGET+/a/b&method=GET&path=/a/b"), chromedp.WaitVisible(verdict))
	for _, tt := range []struct{ routes, method, host, path, want string }{
		{"GET /a/{id}\nGET /a/b", "GET", "", "/a/b", "Served by GET /a/b Method Route Why GET /a/b serves it GET /a/{id} matches too, but \"GET /a/b\" comes first"},
		{"# comment\n\nGET /a/{id}", "GET", "", "/a/x%2Fy", `Served by GET /a/{id}, id = "x/y" Method`},
		{"GET /a/{id:int}", "GET", "", "/a/x", "404 Not Found Method"},
		{"GET /a", "POST", "", "/a", "405 Method Not Allowed, Allow: GET, HEAD, OPTIONS Method"},
		{"GET /a/", "GET", "", "/a", "Location: /a/ Method"},
		{"api.example.com/{x}", "GET", "api.example.com", "/1", `Served by api.example.com/{x}, x = "1" Method`},
		{"GET /a/{id}\nGET /a/{x}", "GET", "", "/", `line 2: muxmaster: pattern "GET /a/{x}" conflicts with pattern "GET /a/{id}": they match the same requests`},
		{"GET /users/<id:int>", "GET", "", "/", `a constrained parameter is written {id:int}`},
		{"/", "GET", "", "a b", "400 Bad Request Method"},
		{"/", "", "\x00", "/%zz", "400 Bad Request Method"},
		{"<img src=x onerror=throw>", "<b>", "<b>", "<b>", "line 1: muxmaster: "},
		{strings.Repeat("/\n", 501), "GET", "", "/", "too long: at most 500 lines"},
		{strings.Repeat("x", 40_000), "GET", "", "/", "too long"},
		{"/{a:" + strings.Repeat("(", 10_000) + "}", "GET", "", "/", "line 1: muxmaster: "},
		{"/{a:((a{1,1000}){1,1000}){1,1000}}", "GET", "", "/", "line 1: muxmaster: "},
		{"/{a:(a*)*b}", "GET", "", "/" + strings.Repeat("a", 30_000), "404 Not Found Method"},
		{"/" + strings.Repeat("{a}/", 5000), "GET", "", "/" + strings.Repeat("a/", 5000), "line 1: muxmaster: "},
	} {
		values, err := json.Marshal([]string{tt.routes, tt.method, tt.host, tt.path})
		if err != nil {
			t.Fatal(err)
		}
		text := eval[string](p, `Object.values(fields).forEach((f, i) => f.value = `+string(values)+`[i]),
			fields.path.dispatchEvent(new Event('input', { bubbles: true })), answer.innerText`)
		text = strings.Join(strings.Fields(text), " ")
		if !strings.Contains(text, tt.want) {
			t.Errorf("%.200q: got %.300q, want %q", tt, text, tt.want)
		}
		// Whoever gets the address sees the same.
		if got := eval[string](p, `load(), answer.innerText`); strings.Join(strings.Fields(got), " ") != text {
			t.Errorf("%.200q: from the address: got %.300q, want %.300q", tt, got, text)
		}
	}
	for _, v := range views {
		p.show(v)
		p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url+"/playground/"), chromedp.WaitVisible(verdict))
		if got := eval[int64](p, `document.documentElement.scrollWidth`); got > v.width {
			t.Errorf("%s: the page is %d pixels wide", v, got)
		}
		p.axe("site, /playground/, " + v.String())
		if *playgroundPictures != "" {
			data := call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}).Data
			if err := os.WriteFile(filepath.Join(*playgroundPictures, v.String()+".png"), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}

	srv := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer srv.Close()
	f := startFirefox(t, false)
	for _, width := range []int64{390, 1400} {
		f.do("browsingContext.setViewport", map[string]any{"viewport": map[string]any{"width": width, "height": 800}}, nil)
		f.do("browsingContext.navigate", map[string]any{"url": srv.URL + "/playground/#routes=GET+/a/{id}&method=GET&path=/a/7", "wait": "complete"}, nil)
		f.run(nil, "while (!document.querySelector('"+verdict+"')) await new Promise(r => setTimeout(r, 50))")
		if got, want := f.text(verdict), `Served by GET /a/{id}, id = "7"`; got != want {
			t.Errorf("Firefox, %d pixels: got %q, want %q", width, got, want)
		}
		var got []int64
		if f.run(&got, "return [innerWidth, document.documentElement.scrollWidth]"); got[0] != width || got[1] > width {
			t.Errorf("Firefox: a window of %d pixels has the width %d, and its page %d", width, got[0], got[1])
		}
	}
}
