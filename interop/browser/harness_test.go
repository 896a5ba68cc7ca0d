package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/seed-1954dcaa/muxmaster"
)

var (
	chromium  context.Context // the browser for all tests
	temporary string          // a directory for all tests
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	err := install()
	if err == nil {
		temporary, err = os.MkdirTemp("", "browser")
	}
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(temporary)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox,        // the sandbox doesn't start for root, and the pages are ours
		chromedp.IgnoreCertErrors, // of httptest
		chromedp.WSURLReadTimeout(patience))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	browser, closeBrowser := chromedp.NewContext(allocator)
	defer closeBrowser()
	if err := chromedp.Do(browser); err != nil {
		return 0, fmt.Errorf("chromium does not start: %w", err)
	}
	chromium = browser
	return m.Run(), nil
}

// install installs the packages in package-lock.json, unless they are
// installed.
func install() error {
	const lock, copy = "package-lock.json", "node_modules/.package-lock.json" // npm writes the copy last
	want, err := os.Stat(lock)
	if err != nil {
		return err
	}
	if have, err := os.Stat(copy); err == nil && have.ModTime().After(want.ModTime()) {
		return nil
	}
	if out, err := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund").CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
}

// A view contains the size and settings of the browser window.
type view struct {
	width, height int64
	dark          bool
}

func (v view) String() string {
	if v.dark {
		return fmt.Sprintf("%d, dark", v.width)
	}
	return fmt.Sprintf("%d, light", v.width)
}

var (
	desktop = view{width: 1400, height: 900}
	views   = []view{desktop, {width: 1400, height: 900, dark: true}, {width: 390, height: 844}, {width: 390, height: 844, dark: true}}
)

// A tab is a tab of the browser, for a server.
type tab struct {
	*testing.T
	ctx context.Context
	url string
}

// open opens the page of the routes. If the page reports an error before the
// end of the test, the test fails.
func open(t *testing.T, routes *muxmaster.Mux, v view, fragment string) *tab {
	t.Helper()
	p := newTab(t, routes, v)
	p.url += "/debug/routes"
	p.do(chromedp.Navigate(p.url+fragment), chromedp.WaitVisible("[data-ready] #tree"))
	return p
}

// newTab serves a handler on a loopback address and returns an empty tab for
// it.
func newTab(t *testing.T, h http.Handler, v view) *tab {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return tabAt(t, srv.URL, v)
}

// tabAt returns an empty tab for a server. If a page reports an error before the
// end of the test, the test fails.
func tabAt(t *testing.T, url string, v view) *tab {
	t.Helper()
	page := tabFor(t, url)
	var mu sync.Mutex
	var reports []string
	err := chromedp.Listen(page.ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			text := e.ExceptionDetails.Text
			if thrown := e.ExceptionDetails.Exception; thrown != nil {
				text += " " + thrown.Description
			}
			reports = append(reports, text)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				reports = append(reports, e.Entry.Text)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, report := range reports {
			t.Errorf("the page reports: %s", report)
		}
	})
	page.show(v)
	return page
}

// tabFor returns an empty tab for a server.
func tabFor(t *testing.T, url string) *tab {
	ctx, cancel := chromedp.NewContext(chromium)
	t.Cleanup(cancel)
	return &tab{T: t, ctx: ctx, url: url}
}

// show sets the size of the window and the color scheme.
func (p *tab) show(v view) {
	p.Helper()
	theme := "light"
	if v.dark {
		theme = "dark"
	}
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.width < 600,
	})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	})
}

// patience is the timeout of a step, long enough for a busy machine.
const patience = 2 * time.Minute

// within returns the result of a step, and ends the test if it takes too long.
func within[T any](p *tab, step func(ctx context.Context) (T, error)) T {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := step(ctx)
	if err != nil {
		p.Fatal(err)
	}
	return v
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	within(p, func(ctx context.Context) (any, error) { return nil, chromedp.Do(ctx, steps...) })
}

// call runs a command of the DevTools protocol.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.Helper()
	return within(p, func(ctx context.Context) (R, error) { return chromedp.Call(ctx, command, params) })
}

// eval runs JavaScript in the page and returns the result.
func eval[T any](p *tab, js string) T {
	p.Helper()
	return within(p, func(ctx context.Context) (T, error) {
		return chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	})
}
