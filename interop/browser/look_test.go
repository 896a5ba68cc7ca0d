package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// openFull opens the page of the shop with an explained request and with
// details.
func openFull(t *testing.T, v view) *tab {
	p := open(t, newShop(), v, "#method=GET&path=/api/v1/products/12")
	p.do(chromedp.WaitVisible("#answer .verdict"))
	eval[bool](p, `document.querySelector('#tree .route:has(.warning) summary').click() || true`)
	p.do(chromedp.WaitVisible("#tree .details"))
	return p
}

func TestNothingIsCut(t *testing.T) {
	for _, v := range append(views, view{width: 320, height: 600}, view{width: 820, height: 1180}) {
		p := openFull(t, v)
		if got := eval[int64](p, `document.documentElement.scrollWidth`); got > v.width {
			t.Errorf("%s: the page is %d pixels wide", v, got)
		}
		cut := eval[[]string](p, `[...document.querySelectorAll('body *')].filter(e => {
			const box = e.getBoundingClientRect();
			if (!e.checkVisibility() || e.matches('.hidden, .chips input, option') || box.width === 0) return false;
			return box.left < 0 || box.right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline' && e.tagName !== 'INPUT';
		}).map(e => e.outerHTML.slice(0, 200))`)
		for _, element := range cut {
			t.Errorf("%s: cut off: %s", v, element)
		}
	}
}

func TestAccessible(t *testing.T) {
	for _, v := range views {
		if passes := openFull(t, v).axe("routes, " + v.String()); passes < 20 {
			t.Errorf("%s: only %d rules of axe had something to look at", v, passes)
		}
	}
}

// axe checks the page with some rules of axe, or all if there are none. It
// returns how many of them had something to look at, and were followed.
func (p *tab) axe(name string, rules ...string) (passes int) {
	p.Helper()
	script, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		p.Fatal(err)
	}
	eval[bool](p, string(script)+`; true`)
	options := "{}"
	if len(rules) > 0 {
		options = fmt.Sprintf("{ runOnly: ['%s'] }", strings.Join(rules, "', '"))
	}
	// The colors of another scheme may still be changing.
	eval[bool](p, `document.getAnimations().forEach(a => a instanceof CSSTransition && a.finish()); true`)
	report := eval[string](p, `axe.run(`+options+`).then(r => JSON.stringify({ passes: r.passes.length, violations: r.violations.map(v =>
		({ rule: v.id, impact: v.impact, nodes: v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary) })) }))`)
	var result struct {
		Passes     int
		Violations []struct {
			Rule, Impact string
			Nodes        []string
		}
	}
	if err := json.Unmarshal([]byte(report), &result); err != nil {
		p.Fatal(err)
	}
	p.Logf("axe: %s: %d of %d rules", name, result.Passes, result.Passes+len(result.Violations))
	for _, violation := range result.Violations {
		p.Errorf("%s: axe: %s, %s: %q", name, violation.Impact, violation.Rule, violation.Nodes)
	}
	return result.Passes
}

func TestHTMLIsValid(t *testing.T) {
	p := openFull(t, desktop)
	res, err := http.Get(p.url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	served, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"served.html":   string(served),
		"rendered.html": "<!DOCTYPE html>" + eval[string](p, `document.documentElement.outerHTML`),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("java", "-jar", "node_modules/vnu-jar/build/dist/vnu.jar", "--Werror", "--stdout", filepath.Join(dir, "served.html"), filepath.Join(dir, "rendered.html")).CombinedOutput()
	if err != nil {
		t.Errorf("the validator: %v\n%s", err, out)
	}
}

func TestManyRoutes(t *testing.T) {
	m := newLarge()
	m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)) // compiles the routes
	p := newTab(t, m, desktop)
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		const shown = new Promise(done => {
			const look = () => document.querySelectorAll('#tree summary').length < 40 ? requestAnimationFrame(look) :
				setTimeout(() => done(performance.now())); // after the frame that begins now
			look();
		})`})
	p.do(chromedp.Navigate(p.url + "/debug/routes"))
	times := eval[[]float64](p, `shown.then(async rows => {
		const [load] = performance.getEntriesByType('navigation');
		const paint = await new Promise(done => new PerformanceObserver(list => done(list.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1)).observe({ type: 'paint', buffered: true }));
		return [load.responseStart, paint, rows, load.responseEnd, load.loadEventEnd];
	})`)
	t.Logf("first byte after %.0f ms, first paint %.0f, 40 rows %.0f, last byte %.0f, all %.0f", times[0], times[1], times[2], times[3], times[4])
	if times[1] < 0 || times[2] > 10_000 { // on an idle machine, less than 200
		t.Errorf("first paint after %.0f ms, rows after %.0f ms", times[1], times[2])
	}
	p.want("the count", p.text("#summary"), "5,001 routes")
	if n := len(p.rows()); n < 40 || n > 500 {
		t.Errorf("%d rows are there at first", n)
	}
	took := eval[float64](p, `(() => { const start = performance.now(); $('search').value = 'resource12'; draw(); document.body.offsetHeight; return performance.now() - start; })()`)
	t.Logf("a search took %.0f ms", took)
	p.fill("#search", "resource1249")
	if rows := p.rows(); len(rows) != 5 {
		t.Errorf("searching for one resource shows %d rows: %q", len(rows), rows)
	}
	p.fill("#search", "")
	took = eval[float64](p, `(() => { const start = performance.now(); $('open').click(); document.body.offsetHeight; return performance.now() - start; })()`)
	t.Logf("Open all took %.0f ms", took)
	if n := eval[int](p, `document.querySelectorAll('#tree .route').length`); n != 5001 {
		t.Errorf("all open: %d routes", n)
	}
	eval[bool](p, `explain('GET', '/service49/resource1249/7').then(() => true)`)
	p.want("explain", p.text("#answer"), "Served by GET /service49/resource1249/{id:[0-9]+}", "Show all 5,00")
	eval[bool](p, `document.querySelector('#answer .small').click() || true`)
	p.want("shown in the list", eval[string](p, `document.activeElement.innerText`), "/service49/resource1249/{id:[0-9]+}")
}

// A held page stops after its first rows until the rest is asked for.
type held struct {
	http.ResponseWriter
	parts int
	rest  chan bool
}

func (h *held) Flush() {
	http.NewResponseController(h.ResponseWriter).Flush()
	h.parts++
}

func (h *held) Write(p []byte) (int, error) {
	if h.parts == 2 { // the head and the first rows
		<-h.rest
	}
	return h.ResponseWriter.Write(p)
}

// TestManyRoutesKeepOpenRows opens the details of a route among the first rows. They
// are still open, and their row has the focus, when all routes have arrived.
func TestManyRoutesKeepOpenRows(t *testing.T) {
	m, rest := newFlat(), make(chan bool)
	p := newTab(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.ServeHTTP(&held{ResponseWriter: w, rest: rest}, r)
	}), desktop)
	call(p, page.Navigate, page.NavigateParams{URL: p.url + "/debug/routes"})
	p.do(chromedp.Click("#tree li:nth-child(7) summary"), chromedp.WaitVisible("#tree .details"))
	if got := p.text("#tree .details"); strings.Contains(got, "Example") {
		t.Errorf("the first rows have examples: %q", got)
	}
	close(rest)
	p.do(chromedp.WaitReady("[data-ready]"))
	p.want("details", p.text("#tree .details"), "service_test.go", "Example GET /r")
	p.want("the focus", eval[string](p, `document.activeElement.parentNode.innerText`), "Example")
}

// TestManyRoutesOfOnePrefix checks a flat list, without prefixes to close.
func TestManyRoutesOfOnePrefix(t *testing.T) {
	p := open(t, newFlat(), desktop, "")
	if n := len(p.rows()); n > 900 {
		t.Errorf("%d rows are there at first", n)
	}
	eval[bool](p, `explain('GET', '/r2999').then(() => true)`)
	eval[bool](p, `document.querySelector('#answer .small').click() || true`)
	p.want("shown in the list", eval[string](p, `document.activeElement.innerText`), "/r2999")
}
