package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// TestTagOfFixedTimes checks that an index.html that changes is sent again,
// although all files of every release have the same modification time and this
// one even has the same size.
func TestTagOfFixedTimes(t *testing.T) {
	old, release := "<script src=a1.js>", "<script src=b2.js>"
	dir := writeFiles(t, modified, map[string]string{"index.html": old, "app.js": "js"})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	memory := fstest.MapFS{"index.html": {Data: []byte(old), ModTime: modified}, "app.js": {Data: []byte("js"), ModTime: modified}}
	for name, c := range map[string]struct {
		spa     *SPA
		replace func()
	}{
		"os.Root":     {NewSPA(root.FS(), "rest", notFound), func() { replaceFile(t, filepath.Join(dir, "index.html"), release, modified) }},
		"os.DirFS":    {NewSPA(os.DirFS(dir), "rest", notFound), func() { replaceFile(t, filepath.Join(dir, "index.html"), release, modified) }},
		"overwritten": {NewSPA(os.DirFS(dir), "rest", notFound), func() { overwriteFile(t, filepath.Join(dir, "index.html"), release, modified) }},
		"memory":      {NewSPA(memory, "rest", notFound), func() { memory["index.html"] = &fstest.MapFile{Data: []byte(release), ModTime: modified} }},
	} {
		replaceFile(t, filepath.Join(dir, "index.html"), old, modified)
		h := ask(c.spa, "GET", "").Header()
		if h.Get("ETag") == "" || h.Get("Last-Modified") != "" {
			t.Errorf("%s: ETag %q, Last-Modified %q", name, h.Get("ETag"), h.Get("Last-Modified"))
		}
		if w := ask(c.spa, "GET", "", "If-None-Match", h.Get("ETag")); w.Code != 304 {
			t.Errorf("%s: unchanged: got %d, want 304", name, w.Code)
		}
		c.replace()
		for header, value := range map[string]string{"If-None-Match": h.Get("ETag"), "If-Modified-Since": modified.Format("Mon, 02 Jan 2006 15:04:05 GMT")} {
			if w := ask(c.spa, "GET", "", header, value); w.Code != 200 || w.Body.String() != release {
				t.Errorf("%s: changed, %s: got %d %q, want the new one", name, header, w.Code, w.Body)
			}
		}
	}
}

func TestFixedTime(t *testing.T) {
	later := modified.Add(time.Hour)
	for name, c := range map[string]struct {
		fsys  fstest.MapFS
		fixed time.Time
	}{
		"none":             {fstest.MapFS{}, time.Time{}},
		"one":              {fstest.MapFS{"a": {ModTime: modified}}, modified},
		"the same":         {fstest.MapFS{"a": {ModTime: modified}, "b/c": {ModTime: modified}, "b/d/e": {ModTime: modified}}, modified},
		"different":        {fstest.MapFS{"a": {ModTime: modified}, "b": {ModTime: later}}, time.Time{}},
		"different, below": {fstest.MapFS{"a": {ModTime: modified}, "b/c/d": {ModTime: later}}, time.Time{}},
		"too deep":         {fstest.MapFS{strings.Repeat("d/", maxTimes) + "a": {ModTime: modified}}, time.Time{}},
		"zero":             {fstest.MapFS{"a": {}, "b": {}}, time.Time{}},
	} {
		fsys := &watchedFS{FS: c.fsys}
		if got := fixedTime(fsys); !got.Equal(c.fixed) || fsys.open != 0 {
			t.Errorf("%s: got %v, want %v; %d files are open", name, got, c.fixed, fsys.open)
		}
	}
	// Only the first files are compared.
	many := fstest.MapFS{}
	for i := range 10 * maxTimes {
		many[fmt.Sprintf("%04d/%04d", i, i)] = &fstest.MapFile{ModTime: modified.Add(time.Duration(i/(2*maxTimes)) * time.Hour)}
	}
	if got := fixedTime(many); !got.Equal(modified) {
		t.Errorf("many: got %v", got)
	}
}

// TestTag checks that ETags depend on the content, and are computed once per
// name.
func TestTag(t *testing.T) {
	fsys := files()
	spa := NewSPA(fsys, "rest", notFound)
	first := ask(spa, "GET", "app.3f2a9c1b.js").Header().Get("ETag")
	if other := ask(spa, "GET", "dir/page.html").Header().Get("ETag"); first == other || len(first) != 24 || first[0] != '"' {
		t.Errorf("ETags %s and %s", first, other)
	}
	fsys["app.3f2a9c1b.js"].Data = []byte("js"[:1] + "z") // which a file of an embed.FS can't do
	if again := ask(spa, "GET", "app.3f2a9c1b.js").Header().Get("ETag"); again != first {
		t.Errorf("the ETag was computed again: %s, %s before", again, first)
	}
	if fresh := ask(NewSPA(fsys, "rest", notFound), "GET", "app.3f2a9c1b.js").Header().Get("ETag"); fresh == first {
		t.Error("two contents have one ETag")
	}
}

// TestTagIsBounded checks that no more than maxTags ETags are remembered.
func TestTagIsBounded(t *testing.T) {
	s := store{fsys: fstest.MapFS{"a": {Data: []byte("a")}}}
	s.count.Store(maxTags)
	f, err := s.open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := s.tag(f); err != nil || text == "" {
		t.Fatalf("got %q, %v", text, err)
	}
	if _, ok := s.tags.Load("a"); ok {
		t.Error("it was remembered")
	}
}

// TestTagOfLargeFiles checks that a large file isn't read only for its ETag.
func TestTagOfLargeFiles(t *testing.T) {
	dir := writeFiles(t, modified, map[string]string{"video.mp4": ""})
	name := filepath.Join(dir, "video.mp4")
	if err := errors.Join(os.Truncate(name, maxHashed+1), os.Chtimes(name, modified, modified)); err != nil {
		t.Fatal(err)
	}
	h := ask(NewServer(os.DirFS(dir), "rest", notFound), "HEAD", "video.mp4").Header()
	if h["Etag"] != nil || h["Last-Modified"] != nil {
		t.Errorf("ETag %q, Last-Modified %q", h["Etag"], h["Last-Modified"])
	}
}
