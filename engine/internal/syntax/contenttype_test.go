package syntax

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// signatures are the beginnings that [http.DetectContentType] knows.
var signatures = []string{
	"<!DOCTYPE HTML>", "<html>", "<?xml", "%PDF-", "%!PS-Adobe-", "\xfe\xff", "\xff\xfe", "\xef\xbb\xbf", "\x00\x00\x01\x00", "BM", "GIF87a", "GIF89a",
	"RIFF0000WEBPVP", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "FORM0000AIFF", "ID3", "OggS\x00", "MThd\x00\x00\x00\x06", "RIFF0000AVI ", "RIFF0000WAVE",
	"\x00\x00\x00\x18ftypmp42", "\x1a\x45\xdf\xa3", "OTTO", "ttcf", "wOFF", "wOF2", "\x1f\x8b\x08", "PK\x03\x04", "Rar!\x1a\x07\x00", "\x00asm", ".snd",
}

// TestDetectContentType compares DetectContentType with net/http's.
func TestDetectContentType(t *testing.T) {
	check := func(data []byte) {
		if got, want := DetectContentType(data), http.DetectContentType(data); got != want {
			t.Errorf("%.40q, %d bytes: got %s, want %s", data, len(data), got, want)
		}
	}
	check(nil)
	for _, s := range signatures {
		check([]byte(s))
		check([]byte(s + strings.Repeat("x", 600)))
		check([]byte(" \n" + s + "<>"))
	}
	for c := range 256 {
		for _, n := range []int{1, 7, 8, 9, 511, 512, 513} {
			b := bytes.Repeat([]byte{'x'}, n)
			for _, at := range []int{0, 1, n / 2, n - 1} {
				if at < n {
					old := b[at]
					b[at] = byte(c)
					check(b)
					b[at] = old
				}
			}
		}
		for d := range 256 {
			check([]byte{byte(c), byte(d), 'x', 'x'})
		}
	}
}

// FuzzDetectContentType compares it for other data.
func FuzzDetectContentType(f *testing.F) {
	for _, s := range signatures {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := DetectContentType(data), http.DetectContentType(data); got != want {
			t.Errorf("%q: got %s, want %s", data, got, want)
		}
	})
}
