package browser

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
		{"routes-light.png", view{width: 1400, height: 1000}, explain},
		{"routes-dark.png", view{width: 1400, height: 1000, dark: true}, explain},
		{"routes-narrow-light.png", view{width: 390, height: 1000}, search},
		{"routes-narrow-dark.png", view{width: 390, height: 1000, dark: true}, search},
	} {
		p := open(t, newShop(), tt.view, tt.state)
		if tt.state == explain {
			p.do(chromedp.WaitVisible("#answer .verdict"))
		}
		shot := call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		data, err := shrink(shot.Data)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) < 10_000 || len(data) > 120_000 {
			t.Errorf("%s has %d bytes", tt.name, len(data))
		}
		if err := os.WriteFile(filepath.Join(dir, tt.name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// shrink reduces a picture to its 256 most frequent colors, which is almost all
// colors of a page of text.
func shrink(data []byte) ([]byte, error) {
	src, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	box := src.Bounds()
	counts := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(src.At(x, y)).(color.RGBA) }
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	byCount := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	var palette color.Palette
	for _, c := range byCount[:min(256, len(byCount))] {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	for c := range counts {
		index[c] = uint8(palette.Index(c))
	}
	dst := image.NewPaletted(box, palette)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			dst.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, dst)
	return out.Bytes(), err
}
