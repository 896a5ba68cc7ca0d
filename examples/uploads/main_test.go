package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// start serves uploads of up to 1,000 bytes per file and 4,000 per request.
func start(t *testing.T) (url, dir string) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(problem.With(problem.JSON)(newMux(&uploads{root, 1000}, 4000)))
	t.Cleanup(func() { srv.Close(); root.Close() })
	return srv.URL, dir
}

// form returns a form with files of the form NAME=CONTENT.
func form(t *testing.T, files ...string) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = new(bytes.Buffer)
	mw := multipart.NewWriter(body)
	for _, f := range files {
		name, content, _ := strings.Cut(f, "=")
		w, err := mw.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, content)
	}
	if err := mw.WriteField("comment", "none"); err != nil {
		t.Fatal(err)
	}
	mw.Close()
	return body, mw.FormDataContentType()
}

func post(t *testing.T, url, contentType string, body io.Reader) (status int, answer string) {
	t.Helper()
	resp, err := http.Post(url+"/files", contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestUpload(t *testing.T) {
	url, _ := start(t)
	body, contentType := form(t, "a.txt=hello", "../../etc/passwd=climbs", "evil.html=<script>")
	status, answer := post(t, url, contentType, body)
	var files []file
	if err := json.Unmarshal([]byte(answer), &files); err != nil || status != http.StatusCreated || len(files) != 3 {
		t.Fatalf("got %d %s (%v), want three files", status, answer, err)
	}
	for i, want := range []string{"hello", "climbs", "<script>"} {
		resp, err := http.Get(url + "/files/" + files[i].Name)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != want || resp.Header.Get("Content-Disposition") != "attachment" || resp.Header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s: got %q with %v", files[i].Original, got, resp.Header)
		}
	}
}

// TestRefused checks that rejected uploads leave no files.
func TestRefused(t *testing.T) {
	url, dir := start(t)
	for name, c := range map[string]struct {
		files  []string
		cut    int // number of bytes to remove from the end of the form
		status int
	}{
		"a large file":          {[]string{"a=small", "b=" + strings.Repeat("x", 1001)}, 0, 413},
		"a large request":       {[]string{"a=" + strings.Repeat("x", 900), "b=" + strings.Repeat("x", 900), "c=" + strings.Repeat("x", 900), "d=" + strings.Repeat("x", 900), "e=" + strings.Repeat("x", 900)}, 0, 413},
		"many files":            {slices.Repeat([]string{"a="}, 21), 0, 413},
		"a form without a file": {nil, 0, 400},
		"a form that is cut":    {[]string{"a=small", "b=small"}, 120, 400},
	} {
		body, contentType := form(t, c.files...)
		body.Truncate(body.Len() - c.cut)
		if status, answer := post(t, url, contentType, body); status != c.status || !strings.Contains(answer, `"status":`) {
			t.Errorf("%s: got %d %s, want %d", name, status, answer, c.status)
		}
		if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
			t.Errorf("%s left %v (%v)", name, left, err)
		}
	}
	if status, _ := post(t, url, "application/json", strings.NewReader("{}")); status != http.StatusUnsupportedMediaType {
		t.Errorf("JSON: got %d, want 415", status)
	}
}

// TestFullDisk checks that clients aren't blamed for errors of writing.
func TestFullDisk(t *testing.T) {
	if got := problem.Status(badForm(&fs.PathError{Op: "write", Err: errors.ErrUnsupported})); got != http.StatusInternalServerError {
		t.Errorf("got %d, want 500", got)
	}
}

func TestNoFile(t *testing.T) {
	url, dir := start(t)
	if err := os.WriteFile(dir+"/../outside", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "..%2Foutside", "..%5Coutside", "%00"} {
		resp, err := http.Get(url + "/files/" + name)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", name, resp.StatusCode)
		}
	}
}
