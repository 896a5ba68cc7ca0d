package browser

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "write the pictures of docs/routes.md to this `directory`")

func TestPictures(t *testing.T) {
	dir := cmp.Or(*pictures, t.TempDir())
	const explain, search = "#method=GET&path=/api/v1/products/12", "#search=products"
	for _, tt := range []struct {
		name  string
		view  view
		state string
	}{
		{"routes-light.webp", view{width: 1400, height: 1000}, explain},
		{"routes-dark.webp", view{width: 1400, height: 1000, dark: true}, explain},
		{"routes-narrow-light.webp", view{width: 390, height: 1000}, search},
		{"routes-narrow-dark.webp", view{width: 390, height: 1000, dark: true}, search},
	} {
		p := open(t, newShop(), tt.view, tt.state)
		if tt.state == explain {
			p.do(chromedp.WaitVisible("#answer .verdict"))
		}
		data := call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp}).Data
		if len(data) < 10_000 || len(data) > 120_000 {
			t.Errorf("%s has %d bytes", tt.name, len(data))
		}
		if err := os.WriteFile(filepath.Join(dir, tt.name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
