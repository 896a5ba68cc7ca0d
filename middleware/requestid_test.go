package middleware_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleRequestID() {
	h := middleware.RequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "working on ", middleware.GetRequestID(r.Context()))
	}))
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Request-ID", "checkout-42")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	fmt.Println(w.Body, w.Header().Get("X-Request-ID"))
	// Output: working on checkout-42 checkout-42
}

var madeID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// requestID returns the ID that the handler gets for the given headers.
func requestID(t *testing.T, headers ...string) (id string) {
	t.Helper()
	r := get("/")
	if len(headers) > 0 {
		r.Header["X-Request-Id"] = headers
	}
	w := serve(middleware.RequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id = middleware.GetRequestID(r.Context())
	})), r)
	if got := w.Header()["X-Request-Id"]; len(got) != 1 || got[0] != id {
		t.Errorf("headers %q: the response has %q, the handler saw %q", headers, got, id)
	}
	return id
}

func TestRequestIDFromClient(t *testing.T) {
	long := strings.Repeat("x", 128)
	for keep, lists := range map[bool][][]string{
		true: {{"a"}, {"A-z.0_9"}, {long}},
		false: {nil, {}, {""}, {"a b"}, {" a"}, {"a\nb"}, {"a\r\nSet-Cookie: x=y"}, {"a\x00"}, {"ä"}, {"a/b"}, {"a\xff"}, {"a@[`{:,"}, {"<script>"},
			{long + "x"}, {"a", "b"}, {"a", "a"}},
	} {
		for _, headers := range lists {
			id := requestID(t, headers...)
			if kept := len(headers) == 1 && id == headers[0]; kept != keep || !kept && !madeID.MatchString(id) {
				t.Errorf("%q: id %q, want kept: %v", headers, id, keep)
			}
		}
	}
}

// TestRequestIDDigits checks that IDs differ, that all digits occur at each
// position, and that no part of an ID repeats another.
func TestRequestIDDigits(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := requestID(t)
		if seen[id] || strings.Contains(id[16:], id[:8]) || strings.Contains(id[16:], id[8:16]) || id[:8] == id[8:16] || id[16:24] == id[24:] {
			t.Errorf("%s repeats itself or another ID", id)
		}
		seen[id] = true
		for place, digit := range id {
			seen[fmt.Sprint(place, " ", string(digit))] = true
		}
	}
	if want := 1000 + 32*16; len(seen) != want {
		t.Errorf("%d IDs and digits, want %d", len(seen), want)
	}
}

func TestGetRequestIDWithoutOne(t *testing.T) {
	for _, ctx := range []context.Context{nil, context.Background()} {
		if got := middleware.GetRequestID(ctx); got != "" {
			t.Errorf("GetRequestID(%v) = %q, want none", ctx, got)
		}
	}
}

func TestRequestIDKeepsTheParentContext(t *testing.T) {
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "below"))
	serve(middleware.RequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		child, stop := context.WithCancel(r.Context())
		defer stop()
		w.Header()["X-Request-Id"][0] = "overwritten"
		if r.Context().Value(key{}) != "below" || !madeID.MatchString(middleware.GetRequestID(child)) {
			t.Errorf("value %v, id %q", r.Context().Value(key{}), middleware.GetRequestID(child))
		}
		cancel()
		<-child.Done()
	})), get("/").WithContext(ctx))
}

// TestCopiesLeaveNoFiles checks that net/http still removes the files of a
// multipart form if middleware copies the request. Over HTTP/2, Go 1.27 never
// removes them.
func TestCopiesLeaveNoFiles(t *testing.T) {
	for _, proto := range protos {
		want := leavesFiles(t, proto, func(h http.Handler) http.Handler { return h })
		if want && proto == "HTTP/1.1" {
			t.Fatal("net/http leaves files behind, so this test shows nothing")
		}
		for name, m := range map[string]mw{"RequestID": middleware.RequestID, "Timeout": middleware.Timeout(time.Hour), "BodyLimit": middleware.BodyLimit(1 << 20)} {
			if got := leavesFiles(t, proto, m); got != want {
				t.Errorf("%s over %s: leaves files: %v, want %v", name, proto, got, want)
			}
		}
	}
}

// leavesFiles uploads a file to a server with m around its handler.
func leavesFiles(t *testing.T, proto string, m mw) bool {
	t.Helper()
	var file string
	srv, _ := start(t, proto, m(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1); err != nil {
			t.Error(err)
			return
		}
		f, err := r.MultipartForm.File["f"][0].Open()
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if onDisk, ok := f.(*os.File); ok {
			file = onDisk.Name()
		}
	})))
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("f", "f")
	part.Write(make([]byte, 64<<10))
	form.Close()
	r := post(t, srv.URL, io.MultiReader(&body)) // chunked, so that BodyLimit copies the request
	r.Header.Set("Content-Type", form.FormDataContentType())
	fetch(t, srv.Client(), r)
	srv.Close() // waits until the server has finished the request
	if file == "" {
		t.Fatal("the form was kept in memory")
	}
	return os.Remove(file) == nil
}

func ExampleGetRequestID() {
	h := middleware.RequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(len(middleware.GetRequestID(r.Context()))) // a new ID, because the client sent none
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	// Output: 32
}
