package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// start runs the service like main. It returns its URL, what it prints, and a
// function that stops it.
func start(t *testing.T, file string) (url, output string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(ctx, "127.0.0.1:0", file, 0, in); in.Close() }()
	var text strings.Builder
	buf := make([]byte, 4096)
	for url == "" {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatal(<-done)
		}
		text.Write(buf[:n])
		url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(text.String())
	}
	go io.Copy(io.Discard, out)
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return url, text.String(), stop
}

// ask returns the status, Location or Allow, and body of a response.
func ask(t *testing.T, method, url, body string) string {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Connection", "close")
	if len(body) > 4096 {
		// The server rejects the request because of its length, and may close
		// the connection before everything is sent. With this header, the
		// client first waits for the response.
		req.Header.Set("Expect", "100-continue")
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Location"), " ", resp.Header.Get("Allow"), " ", string(got))), " ")
}

func TestService(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.json")
	url, _, stop := start(t, file)
	const noNote = `404 {"title":"Not Found","status":404,"detail":"There is no such note."}`
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/api/notes", ``, `200 []`},
		{"POST", "/api/notes", `{"text":"buy milk","tags":["home"]}`, `201 /api/notes/1 {"id":1,"text":"buy milk","tags":["home"]}`},
		{"POST", "/api/notes", `{"text":"<b>"}`, `201 /api/notes/2 {"id":2,"text":"\u003cb\u003e"}`},
		{"GET", "/api/notes?tag=home", ``, `200 [{"id":1,"text":"buy milk","tags":["home"]}]`},
		{"GET", "/api/notes?tag=work", ``, `200 []`},
		{"GET", "/api/notes/2", ``, `200 {"id":2,"text":"\u003cb\u003e"}`},
		{"GET", "/api/notes/3", ``, noNote},
		{"GET", "/api/notes/x", ``, `404 {"title":"Not Found","status":404}`},
		{"GET", "/api/notes/99999999999999999999", ``, `400 {"title":"Bad Request","status":400,"detail":"The path parameter \"id\" is not valid."}`},
		{"POST", "/api/notes", `{"text":""}`, `422 {"title":"Unprocessable Entity","status":422,"detail":"A note needs a text."}`},
		{"POST", "/api/notes", `{`, `400 {"title":"Bad Request","status":400,"detail":"The request body is not valid JSON; see byte 1."}`},
		{"POST", "/api/notes", `"` + strings.Repeat("x", 64<<10) + `"`, `413 {"title":"Request Entity Too Large","status":413,"detail":"The request body is larger than 65536 bytes."}`},
		{"PATCH", "/api/notes/1", ``, `405 GET, HEAD, DELETE, OPTIONS {"title":"Method Not Allowed","status":405}`},
		{"OPTIONS", "/api/notes", ``, `204 GET, HEAD, POST, OPTIONS`},
		{"DELETE", "/api/notes/2", ``, `204`},
		{"DELETE", "/api/notes/2", ``, noNote},
		{"GET", "/static/../api/notes", ``, `307 /api/notes <a href="/api/notes">Temporary Redirect</a>.`},
		{"GET", "/static/none.css", ``, `404 {"title":"Not Found","status":404}`},
	} {
		if got := ask(t, c.method, url+c.path, c.body); got != c.want {
			t.Errorf("%s %s %.60s: got %s, want %s", c.method, c.path, c.body, got, c.want)
		}
	}
	for path, want := range map[string]string{"/": "<title>Notes</title>", "/static/style.css": "system-ui", "/static/notes.js": "fetch"} {
		if got := ask(t, "GET", url+path, ""); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, want) {
			t.Errorf("GET %s: got %.80s, want 200 with %s", path, got, want)
		}
	}

	stop()
	url, _, _ = start(t, file)
	if got, want := ask(t, "POST", url+"/api/notes", `{"text":"after a restart"}`), `201 /api/notes/3 {"id":3,"text":"after a restart"}`; got != want {
		t.Errorf("after a restart: got %s, want %s", got, want)
	}
	if got, want := ask(t, "GET", url+"/api/notes/1", ""), `200 {"id":1,"text":"buy milk","tags":["home"]}`; got != want {
		t.Errorf("after a restart: got %s, want %s", got, want)
	}
}

// TestUnsavedChange checks that a change that can't be saved has no effect, and
// that the response doesn't contain the file name.
func TestUnsavedChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	url, _, _ := start(t, filepath.Join(dir, "notes.json"))
	const both = `200 [{"id":1,"text":"one"},{"id":2,"text":"two"}]`
	for _, c := range []struct {
		dir                      func() error
		method, path, body, want string
	}{
		{nil, "POST", "/api/notes", `{"text":"one"}`, `500 {"title":"Internal Server Error","status":500}`},
		{nil, "GET", "/api/notes", ``, `200 []`},
		{func() error { return os.Mkdir(dir, 0o777) }, "POST", "/api/notes", `{"text":"one"}`, `201 /api/notes/1 {"id":1,"text":"one"}`},
		{nil, "POST", "/api/notes", `{"text":"two"}`, `201 /api/notes/2 {"id":2,"text":"two"}`},
		{func() error { return os.RemoveAll(dir) }, "POST", "/api/notes", `{"text":"new"}`, `500 {"title":"Internal Server Error","status":500}`},
		{nil, "GET", "/api/notes", ``, both},
		{nil, "DELETE", "/api/notes/1", ``, `500 {"title":"Internal Server Error","status":500}`},
		{nil, "GET", "/api/notes", ``, both},
	} {
		if c.dir != nil {
			if err := c.dir(); err != nil {
				t.Fatal(err)
			}
		}
		if got := ask(t, c.method, url+c.path, c.body); got != c.want {
			t.Errorf("%s %s %s: got %s, want %s", c.method, c.path, c.body, got, c.want)
		}
	}
}

// TestEvents checks that the page is notified of each change, and that an open
// stream doesn't delay stopping the service.
func TestEvents(t *testing.T) {
	url, _, stop := start(t, filepath.Join(t.TempDir(), "notes.json"))
	resp, err := http.Get(url + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	const event = "data: changed\n\n"
	next := func(when string) {
		t.Helper()
		p := make([]byte, len(event))
		if _, err := io.ReadFull(resp.Body, p); err != nil || string(p) != event {
			t.Fatalf("%s: %q, %v; want %q", when, p, err, event)
		}
	}
	next("at first")
	ask(t, "POST", url+"/api/notes", `{"text":"x"}`)
	next("after a new note")
	ask(t, "DELETE", url+"/api/notes/1", "")
	next("after a note was removed")
	stop()
	if rest, err := io.ReadAll(resp.Body); len(rest) > 0 || err != nil {
		t.Errorf("after the stop: %q, %v; want a clean end", rest, err)
	}
}

// TestHints checks that each printed curl command works.
func TestHints(t *testing.T) {
	_, output, _ := start(t, filepath.Join(t.TempDir(), "notes.json"))
	lines := regexp.MustCompile(`curl (?:-i )?(?:-X (\S+) )?'?([^\s']+)'?(?: -d '(.*)')?`).FindAllStringSubmatch(output, -1)
	var got []string
	for _, l := range lines {
		method := l[1]
		switch {
		case l[3] != "" && !json.Valid([]byte(l[3])):
			t.Errorf("%s: the body is not JSON", l[0])
		case method == "" && l[3] != "":
			method = "POST"
		case method == "":
			method = "GET"
		}
		got = append(got, ask(t, method, l[2], l[3])[:3])
	}
	if got, want := strings.Join(got, " "), "201 200 405"; got != want {
		t.Errorf("the curl lines were answered %s, want %s", got, want)
	}
}
