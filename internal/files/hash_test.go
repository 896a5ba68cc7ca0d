package files

import (
	"math/rand"
	"strings"
	"testing"
)

func TestHashed(t *testing.T) {
	for want, names := range map[bool]string{
		true: `app.3f2a9c1b.js app.3f2a9c1b.js.map app-3f2a9c1b.chunk.js 787.1c0f9a2e.chunk.js main.8a1b0c2d.css logo.6ce24c58023cc2f8fd88fe9d219db6c6.svg
			app.0123456789abcdef0123456789abcdef.css index-DiwrgTda.css index-BkZ3x9Qd.js index-CKz9_tgV.js vue-5532db34.svg app-7XK2QZ4D.js
			polyfills-FFHMD2TL.js chunk-MUJJPE4O.js app.3F2A9C1B.js index-a_C-4xyZ.js font-DQ8v0zQx.woff2`,
		false: `app.js app.min.js app.20260102.js app-12345678.js app.deadbeef.js favicon-16x16.png icon-512x512.png photo-1024x768.jpg thumb-800x600w.png
			app-settings.js my-component.js index.html 3f2a9c1b.js app.3f2a9c1.js app.3f2a9c1b .3f2a9c1b
			user-Settings.js report-2024-jan.pdf Home.Homepage.html app.3f2a9c1b.html report-BkZ3x9Qd.pdf
			user-UserList.js user-DataGrid.js theme-DarkMode.css app-iPhone14.png app-MacBook2.png chart-FY2024Q3.png chart-2024Q3v2.png api-Win32API.js
			text-I18nText.js menu-A11yMenu.js admin-K8sAdmin.js convert-Mp3ToMp4.js login-OAuth2v2.js crypto-Sha256v2.js text-HTML5doc.js camera-DSC_0042.jpg
			camera-IMG_2024.jpg web-Web3Auth.js store-S3Bucket.js plan-B2B-Plan.png health-COVID-19.png read-README-2.txt
			img-cafe2024.png img-2024face.png img-12feb2024.png img-dec12024.png img-2024dec5.png img-bad12345.png img-1234567a.png`,
	} {
		for name := range strings.FieldsSeq(names) {
			if got := hashed(name); got != want {
				t.Errorf("hashed(%q) = %v, want %v", name, got, want)
			}
		}
	}
	if hashed("") {
		t.Error("an empty name has no hash")
	}
}

// TestHashedRecognizes checks how many random hashes are recognized.
func TestHashedRecognizes(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		tool, digits string
		length       int
		least        float64
	}{
		{"webpack", "0123456789abcdef", 8, 0.80},
		{"webpack, 20 digits", "0123456789abcdef", 20, 0.99},
		{"Vite", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 8, 0.65},
		{"esbuild", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 8, 0.55},
	} {
		const n = 10_000
		found := 0
		for range n {
			hash := make([]byte, c.length)
			for i := range hash {
				hash[i] = c.digits[random.Intn(len(c.digits))]
			}
			if hashed("app-" + string(hash) + ".js") {
				found++
			}
		}
		if got := float64(found) / n; got < c.least {
			t.Errorf("%s: %.2f of the hashes are recognized, want at least %.2f", c.tool, got, c.least)
		} else {
			t.Logf("%s: %.2f", c.tool, got)
		}
	}
}
