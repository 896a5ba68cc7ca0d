package browser

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// buildSite returns the directory of the documentation site, which is built once.
func buildSite(t *testing.T) string {
	t.Helper()
	dir, err := site()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var site = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(temporary, "site")
	out, err := exec.Command("../../.ci/site", "build", dir).CombinedOutput()
	if err != nil {
		err = fmt.Errorf(".ci/site: %w\n%s", err, out)
	}
	return dir, err
})

// TestSite opens each page of the documentation site in each view. A page must
// not report errors, such as a file of another server that it can't load, and
// must not be wider than the window, and its text must be easy to read. axe
// checks two of them completely.
func TestSite(t *testing.T) {
	dir := buildSite(t)
	var pages []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if page, ok := strings.CutSuffix(strings.TrimPrefix(path, dir), "index.html"); ok {
			pages = append(pages, page)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 30 {
		t.Errorf("the site has only the pages %q", pages)
	}
	p := newTab(t, http.FileServer(http.Dir(dir)), desktop)
	for _, page := range pages {
		p.do(chromedp.Navigate(p.url+page), chromedp.WaitVisible(".md-content h1"))
		if got := eval[[]string](p, `[...document.querySelectorAll('td code')].map(e => e.innerText).filter(s => s.includes('\\|'))`); len(got) > 0 {
			t.Errorf("%s: code in tables has the backslashes of the source: %q", page, got)
		}
		for _, v := range views {
			p.show(v)
			scheme := map[bool]string{false: "default", true: "slate"}[v.dark]
			p.do(chromedp.WaitVisible(`body[data-md-color-scheme="` + scheme + `"]`))
			if got := eval[int64](p, `document.documentElement.scrollWidth`); got > v.width {
				t.Errorf("%s, %s: the page is %d pixels wide", page, v, got)
			}
			switch {
			case page == "/" || page == "/tutorial/":
				p.axe("site, " + page + ", " + v.String())
			case v.width == desktop.width:
				p.axe(page+", "+v.String(), "color-contrast")
			}
		}
	}
}

// TestSiteSearch types a word into the search field of the documentation site.
func TestSiteSearch(t *testing.T) {
	p := newTab(t, http.FileServer(http.Dir(buildSite(t))), desktop)
	p.do(chromedp.Navigate(p.url), chromedp.WaitVisible(".md-search__input"))
	for word, want := range map[string]string{
		"PoolRequestBundle": "/pooling/",
		"405":               "/patterns/",
		"WriteJSON":         "/api/body/",
	} {
		p.do(chromedp.Click(".md-search__input"))
		p.fill(".md-search__input", word)
		p.do(chromedp.WaitVisible(`.md-search-result__link[href*="` + want + `"]`))
	}
}

// TestSiteForPrograms reads llms.txt, whose links must lead to pages.
func TestSiteForPrograms(t *testing.T) {
	dir := buildSite(t)
	text, err := os.ReadFile(filepath.Join(dir, "llms.txt"))
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for line := range strings.Lines(string(text)) {
		if _, page, ok := strings.Cut(strings.TrimRight(line, ")\n"), "https://seed-1954dcaa.github.io/muxmaster/"); ok {
			links++
			if _, err := os.Stat(filepath.Join(dir, page)); err != nil {
				t.Errorf("%s leads nowhere", line)
			}
		}
	}
	if links < 30 {
		t.Errorf("llms.txt has only %d links", links)
	}
}
