package files

import (
	"net/http"
	"strings"
	"testing"
)

func TestAcceptsHTML(t *testing.T) {
	for _, c := range []struct {
		accept string
		want   bool
	}{
		{browser, true},
		{"image/png, TEXT/HTML ; q=0.1", true},
		{"application/xhtml+xml;profile=x", true},
		{"text/html;level=1;q=0, */*", false},
		{"text/html;q=2, text/*, text/html5, ;text/html", false},
		{"", false},
		{strings.Repeat("text/html;q=0;a=b,", 10_000) + "a/b" + strings.Repeat(";a*0=x", 10_000), false},
	} {
		h, got := http.Header{"Accept": {c.accept}}, false
		if n := testing.AllocsPerRun(1, func() { got = acceptsHTML(h) }); got != c.want || n > 0 {
			t.Errorf("%.50q: %v with %v allocations", c.accept, got, n)
		}
	}
}

func TestAcceptsCoding(t *testing.T) {
	for _, c := range []struct {
		lines          []string
		br, zstd, gzip float64
	}{
		{nil, 0, 0, 0},
		{[]string{""}, 0, 0, 0},
		{[]string{"gzip, deflate, br, zstd"}, 1, 1, 1},
		{[]string{"gzip"}, 0, 0, 1},
		{[]string{"x-gzip"}, 0, 0, 1},
		{[]string{"gzip;q=0.5,BR ; Q=0.8"}, 0.8, 0, 0.5},
		{[]string{"gzip", "br;q=0.001"}, 0.001, 0, 1},
		{[]string{"*"}, 1, 1, 1},
		{[]string{"*;q=0.3, gzip;q=0"}, 0.3, 0.3, 0},
		{[]string{"gzip;q=0, *"}, 1, 1, 0},
		{[]string{"gzip;q=0"}, 0, 0, 0},
		{[]string{"gzip;q=2, br;q=-1, zstd;q=NaN"}, 0, 0, 0},
		{[]string{"gzip;q=x"}, 0, 0, 0},
		{[]string{"gzip;x=0, br;q"}, 1, 0, 1},
		{[]string{"identity;q=0"}, 0, 0, 0},
		{[]string{"gzipx, brotli"}, 0, 0, 0},
	} {
		h := http.Header{"Accept-Encoding": c.lines}
		if br, zstd, gzip := acceptsCoding(h, "br"), acceptsCoding(h, "zstd"), acceptsCoding(h, "gzip"); br != c.br || zstd != c.zstd || gzip != c.gzip {
			t.Errorf("%q: br %v, zstd %v, gzip %v, want %v, %v, %v", c.lines, br, zstd, gzip, c.br, c.zstd, c.gzip)
		}
	}
}
