package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// rows returns the text of the visible rows, each with single spaces.
func (p *tab) rows() []string {
	return eval[[]string](p, `[...document.querySelectorAll('#tree summary')].filter(s => s.checkVisibility()).map(s =>
		[...s.children].map(c => c.textContent).join(' ').replace(/\s+/g, ' '))`)
}

// paths returns the paths of the routes that match the search and the filters.
func (p *tab) paths() string { return p.text("#tree .route > summary > .path") }

// text returns the text of the elements that match a selector, with single
// spaces.
func (p *tab) text(selector string) string {
	return eval[string](p, `[...document.querySelectorAll('`+selector+`')].map(e => e.innerText).join(' ').replace(/\s+/g, ' ')`)
}

// fill replaces the content of a field with the keyboard.
func (p *tab) fill(selector, text string) {
	p.do(chromedp.Focus(selector))
	eval[bool](p, `document.querySelector('`+selector+`').select() || true`)
	if text == "" {
		text = kb.Backspace
	}
	p.do(chromedp.KeyEvent(text))
}

// chip clicks a filter.
func (p *tab) chip(value string) {
	eval[bool](p, `document.querySelector('#filters [value="`+value+`"]').click() || true`)
}

// want reports an error unless the text contains each part.
func (p *tab) want(what, text string, parts ...string) {
	p.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			p.Errorf("%s: got %q, without %q", what, text, part)
		}
	}
}

func TestTree(t *testing.T) {
	p := open(t, newShop(), desktop, "")
	rows := p.rows()
	last := -1
	for _, part := range []string{ // in this order
		"GET / browser.shop.home service_test.go:",
		"/admin mount + browser.audit 6 routes 1 warning",
		"/orders route + browser.requireLogin → browser.requireAdmin 2 routes",
		"PATCH /admin/orders/:id browser.shop.cancelOrder",
		"GET /admin/reports/*name browser.shop.report service_test.go:",
		"/api/v1 group + middleware.Logger → middleware.Recoverer → ",
		"/orders route + browser.requireLogin 5 routes",
		"/:id 3 routes",
		"GET /api/v1/orders/:id/invoice.{format:pdf|html} ",
		"/products group 9 routes 3 warnings",
		"any /debug/pprof mount pprof.Index",
		"GET /prices/:currency browser.price",
		"any /webhooks/:provider ",
		"GET {tenant}.shop.example/… browser.shop.tenantHome",
	} {
		i := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, part) })
		if i <= last {
			t.Errorf("the row %q is at %d, after %d:\n%s", part, i, last, strings.Join(rows, "\n"))
		}
		last = max(last, i)
	}
	p.want("around all", p.text("#everywhere"), "middleware.RealIP")
	p.want("the count", p.text("#summary"), "29 routes")
	for _, warning := range []string{
		"no authentication: most routes next to /reports use browser.requireLogin",
		"no authentication: PUT of this path uses browser.requireLogin",
		"unreachable: /api/v1/products/0/related goes to GET /api/v1/products/{any:..*}/related",
		"goes to GET /api/v1/products/{id:[0-9]+}, which was registered first",
	} {
		p.want("warnings", p.text("#tree .route .warning"), warning)
	}
	p.do(chromedp.Click("#close"))
	if rows := p.rows(); slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, "/admin/users") }) {
		t.Errorf("all closed: got\n%s", strings.Join(rows, "\n"))
	}
	p.do(chromedp.Click("#open"))
	if got := p.rows(); len(got) != len(rows) {
		t.Errorf("all open: got %d rows, want %d", len(got), len(rows))
	}
}

func TestSearchAndFilter(t *testing.T) {
	p := open(t, newShop(), desktop, "")
	for _, tt := range []struct {
		search string
		chips  string // elements to click
		want   string // paths of the remaining routes
	}{
		{"invoice", "", "/api/v1/orders/:id/invoice.{format:pdf|html}"},
		{"INVOICE get", "", "/api/v1/orders/:id/invoice.{format:pdf|html}"},
		{"showorder", "", "/api/v1/orders/:id"},
		{"requireAdmin cancel", "", "/admin/orders/:id"},
		{"shop.example", "", "{tenant}.shop.example/…"},
		{"nowhere", "", ""},
		{"/no/such/path", "", ""},
		{"", "DELETE", "/api/v1/orders/:id /api/v1/products/{id:[0-9]+}"},
		{"", "DELETE POST", "/api/v1/orders /api/v1/orders/:id /api/v1/products/{id:[0-9]+} /api/v1/products/{id:[0-9]+}:archive"},
		{"orders", "DELETE", "/api/v1/orders/:id"},
		{"reports", "⚠", "/admin/reports/*name"},
		{"", "⚠ DELETE", "/api/v1/products/{id:[0-9]+}"},
	} {
		p.fill("#search", tt.search)
		for chip := range strings.FieldsSeq(tt.chips) {
			p.chip(chip)
		}
		got := p.paths()
		if got != tt.want {
			t.Errorf("search %q, chips %q: got %q, want %q", tt.search, tt.chips, got, tt.want)
		}
		if tt.want == "" {
			p.want("nothing found", p.text("#tree"), "No routes match.")
		}
		for chip := range strings.FieldsSeq(tt.chips) {
			p.chip(chip)
		}
	}
	p.fill("#search", "/no/such/path")
	p.do(chromedp.Click("#tree .empty button"), chromedp.WaitVisible("#answer .verdict"))
	p.want("explain what was not found", p.text("#answer"), "No route: 404 Not Found")
	p.do(chromedp.Reload(), chromedp.WaitVisible("#answer .verdict"))
	p.want("after a reload", eval[string](p, `document.querySelector('#search').value + ' ' + document.querySelector('#path').value`), "/no/such/path /no/such/path")
}

func TestExplain(t *testing.T) {
	p := open(t, newShop(), desktop, "")
	for _, tt := range []struct {
		method, path string
		want         []string
	}{
		{"GET", "/api/v1/products/12", []string{"Served by GET /api/v1/products/{id:[0-9]+}", "id 12", "browser.shop.showProduct", "service_test.go:",
			"Mux middleware.RealIP group /api/v1 middleware.Logger → middleware.Recoverer",
			`GET /api/v1/products/{sku:[0-9A-Z]+} matches too, but "GET /api/v1/products/{id:[0-9]+}" comes first`, "PUT /api/v1/products/{id:[0-9]+} the method GET is not PUT"}},
		{"GET", "/admin/orders", []string{"Served by", "mount /admin browser.audit route /admin/orders browser.requireLogin → browser.requireAdmin"}},
		{"GET", "/debug/vars", []string{"Served by any /debug/vars", "Show in the list"}},
		{"GET", "http://a.shop.example/x", []string{"{tenant}.shop.example/", "tenant a"}},
		{"POST", "/api/v1/products/12", []string{"No route: 405 Method Not Allowed", "Allow GET, HEAD, PUT, DELETE, OPTIONS", "Response from /api/v1/products", "Why no route"}},
		{"GET", "/admin/none", []string{"No route: 404 Not Found", "Response from /admin"}},
		{"GET", "/healthz/", []string{"No route: 307 Temporary Redirect", "Location /healthz"}},
		{"GET", "/prices/<b>EUR<%2Fb>", []string{"Served by GET /prices/:currency", "currency <b>EUR</b>"}},
		{"GET", "healthz", []string{"Served by GET /healthz"}}, // the slash is added
	} {
		eval[bool](p, `document.querySelector('#answer').replaceChildren() || true`)
		eval[bool](p, `!!(document.querySelector('#method').value = '`+tt.method+`')`)
		p.fill("#path", tt.path+kb.Enter)
		p.do(chromedp.WaitVisible("#answer .verdict"))
		p.want(tt.method+" "+tt.path, p.text("#answer"), tt.want...)
	}
}

func TestExplainShowsEveryCandidate(t *testing.T) {
	p := open(t, newShop(), desktop, "#method=GET&path=/healthz")
	p.do(chromedp.WaitVisible("#answer .verdict"))
	if n := eval[int](p, `document.querySelectorAll('#answer .others > li').length`); n != 8 {
		t.Errorf("%d candidates are shown, want 8", n)
	}
	p.do(chromedp.Click("#answer .more"))
	shown := eval[int](p, `document.querySelectorAll('#answer .others > li').length`)
	if all := eval[int](p, `fetch(base + 'routes.json').then(r => r.json()).then(list => list.length)`); shown != all-1 {
		t.Errorf("%d candidates are shown after the click, want all but one of %d routes", shown, all)
	}
}

// TestNotes checks what a route's row says about its login, the middleware that
// no prefix shows, and its use.
func TestNotes(t *testing.T) {
	p := open(t, newCounted(), desktop, "")
	notes := strings.Join(p.rows(), "\n")
	p.want("a row", notes, "GET /used browser.newCounted service_test.go:")
	p.want("its notes", p.text("#tree .notes"), "requireLogin", "+ browser.audit → browser.requireLogin", "3 hits, last less than a minute ago", "unused", "2s")
	p.want("the row of a host", notes, "{t}.example host + browser.requireAdmin → browser.requireLogin 1 route")
	p.want("the links", p.text("#data"), "coverage.json")
	for chip, want := range map[string]string{"unused": "/debug/routes mount /unused {t}.example/limited", "open": "/debug/routes mount /unused"} {
		p.chip(chip)
		if got := p.paths(); got != want {
			t.Errorf("only %s: got %q, want %q", chip, got, want)
		}
		p.chip(chip)
	}
}

// TestPatterns checks which parts of patterns are marked as parameters, and where
// the tree divides them.
func TestPatterns(t *testing.T) {
	p := open(t, newCounted(), desktop, "")
	for _, tt := range []struct{ pattern, params, segments string }{
		{"/users/:id", ":id", "users :id"},
		{"/{id:[0-9]+}:archive", "{id:[0-9]+}", "{id:[0-9]+}:archive"},
		{"/user_:name/x", ":name", "user_:name x"},
		{"/{a}.{b:x{2}}", "{a} {b:x{2}}", "{a}.{b:x{2}}"},
		{"/static/*path", "*path", "static *path"},
		{"/a/{x...}", "{x...}", "a {x...}"},
		{"/a/{b:x|[^/]}.c", "{b:x|[^/]}", "a {b:x|[^/]}.c"},
		{"/a/c/{$}", "{$}", "a c"},
		{"h.example:8080/x", "", "h.example:8080 x"},
		{"/{id}:cancel/:of", "{id} :of", "{id}:cancel :of"},
		{"/*", "*", "*"},
	} {
		params := eval[string](p, `[...path('`+tt.pattern+`', 0).querySelectorAll('.param')].map(e => e.textContent).join(' ')`)
		segments := eval[string](p, `split('`+tt.pattern+`').join(' ')`)
		if params != tt.params || segments != tt.segments {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.pattern, params, segments, tt.params, tt.segments)
		}
	}
}

// TestWithoutScript checks what a browser shows that runs no scripts: all routes as
// text, and nothing that does nothing.
func TestWithoutScript(t *testing.T) {
	p := newTab(t, newMixed(), view{width: 390, height: 844})
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.do(chromedp.Navigate(p.url + "/debug/routes"))
	p.want("the page", p.text("body"), "routes.txt below its address", "/folder3 group", "/29/:id GET", "PURGE-ALL")
	if shown := eval[[]string](p, `[...document.querySelectorAll('summary, form, input, button, nav')].filter(e => e.checkVisibility()).map(e => e.tagName)`); len(shown) > 0 {
		t.Errorf("shown: %q", shown)
	}
	if wide := eval[int64](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d pixels wide", wide)
	}
}

func TestDetails(t *testing.T) {
	p := open(t, newShop(), desktop, "#search=saveProduct+PUT")
	p.do(chromedp.Click("#tree .route summary"), chromedp.WaitVisible("#tree .details"))
	p.want("details", p.text("#tree .details"), "Handler github.com/seed-1954dcaa/muxmaster/interop/browser.shop.saveProduct", "/interop/browser/service_test.go:",
		"Mux middleware.RealIP group /api/v1 middleware.Logger", "With browser.requireLogin → browser.audit", "Example PUT /api/v1/products/")
	p.do(chromedp.Click("#tree .details button"), chromedp.WaitVisible("#answer .served"))
	p.want("the example's answer", p.text("#answer .verdict"), "Served by PUT /api/v1/products/{id:[0-9]+}")
	p.fill("#search", "")
	p.do(chromedp.Click("#close"), chromedp.Click("#answer .small"))
	p.want("shown in the list", eval[string](p, `document.activeElement.innerText`), "PUT", "/api/v1/products/{id:[0-9]+}")
}

func TestKeyboard(t *testing.T) {
	p := open(t, newShop(), desktop, "")
	focus := func() string {
		return eval[string](p, `(e => e.id || e.innerText.replace(/\s+/g, ' ').trim() || e.value || e.tagName)(document.activeElement)`)
	}
	for _, step := range []struct{ keys, want string }{
		{"/", "search"},
		{"admin", "search"}, // e is a letter here, not a shortcut
		{kb.Escape, "search"},
		{kb.ArrowDown, "GET / browser.shop.home"},
		{kb.ArrowDown, "/admin mount"},
		{kb.ArrowRight, "/orders route"}, // /admin is open
		{kb.ArrowDown, "GET /admin/orders "},
		{kb.ArrowLeft, "/orders route"},
		{kb.ArrowLeft, "/orders route"}, // closes it
		{kb.ArrowDown, "GET /admin/reports/*name"},
		{kb.Enter, "GET /admin/reports/*name"}, // opens its details
		{kb.Tab, "Explain it"},
		{kb.Shift + kb.Tab, "GET /admin/reports/*name"},
		{kb.ArrowUp, "/orders route"},
		{kb.ArrowRight, "/orders route"}, // opens it
		{kb.ArrowDown, "GET /admin/orders "},
		{kb.End, "GET {tenant}.shop.example/…"},
		{kb.Home, "GET / browser.shop.home"},
		{"e", "path"},
		{kb.Tab, "Explain"},
		{kb.Tab, "search"},
		{kb.Tab, "open"},
		{kb.Tab, "close"},
		{kb.Tab, "GET"},
	} {
		p.do(press(step.keys))
		if got := focus(); !strings.HasPrefix(got, step.want) {
			t.Fatalf("after %q the focus is on %q, want %q", step.keys, got, step.want)
		}
	}
}

// press types keys. A leading shift applies to all of them.
func press(keys string) chromedp.Action[chromedp.Void] {
	if rest, ok := strings.CutPrefix(keys, kb.Shift); ok {
		return chromedp.KeyEvent(rest, chromedp.KeyModifiers(8))
	}
	return chromedp.KeyEvent(keys)
}

func TestHostileNamesStayText(t *testing.T) {
	p := open(t, newHostile(), desktop, "#search=<script>alert(1)</script>&method=GET&path=/<script>document.title='hacked'<%252fscript>/1")
	p.do(chromedp.WaitVisible("#answer .verdict"))
	p.fill("#search", "")
	p.do(chromedp.Click("#open"))
	p.want("answer", p.text("#answer"), "<script>")
	p.want("rows", strings.Join(p.rows(), "\n"), `<script>document.title='hacked'<%2fscript>`, `{x:[<>"'&]+}`, `/right-to-left\u{202e}`)
	if title := eval[string](p, `document.title`); title != "Routes" {
		t.Errorf("a name has run a script: the title is %q", title)
	}
	if n := eval[int](p, `document.querySelectorAll('img, #tree script, #answer script').length`); n != 0 {
		t.Errorf("names have become %d elements", n)
	}
}

func TestErrorIsShown(t *testing.T) {
	p := open(t, newShop(), desktop, "")
	eval[bool](p, `(fetch = () => Promise.reject(new Error('the service is gone')), true)`)
	p.fill("#path", "/x"+kb.Enter)
	p.do(chromedp.WaitVisible("#answer .verdict"))
	p.want("the answer", p.text("#answer"), "the service is gone")
}
