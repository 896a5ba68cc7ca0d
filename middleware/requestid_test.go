package middleware_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	for _, tt := range []struct {
		headers []string
		keep    bool
	}{
		{nil, false},
		{[]string{"a"}, true},
		{[]string{"A-z.0_9"}, true},
		{[]string{strings.Repeat("x", 128)}, true},
		{[]string{strings.Repeat("x", 129)}, false},
		{[]string{""}, false},
		{[]string{"a b"}, false},
		{[]string{" a"}, false},
		{[]string{"a\nb"}, false},
		{[]string{"a\r\nSet-Cookie: x=y"}, false},
		{[]string{"a\x00"}, false},
		{[]string{"ä"}, false},
		{[]string{"a/b"}, false},
		{[]string{`<script>`}, false},
		{[]string{"a", "b"}, false},
		{[]string{"a", "a"}, false},
		{[]string{}, false},
	} {
		id := requestID(t, tt.headers...)
		if kept := len(tt.headers) == 1 && id == tt.headers[0]; kept != tt.keep || !kept && !madeID.MatchString(id) {
			t.Errorf("%q: id %q, want kept: %v", tt.headers, id, tt.keep)
		}
	}
}

// TestRequestIDDigits checks that all digits are about equally frequent at each
// position.
func TestRequestIDDigits(t *testing.T) {
	const ids = 16_000
	var seen [32][256]int
	repeated := 0
	for range ids {
		id := requestID(t)
		for place, digit := range []byte(id) {
			seen[place][digit]++
		}
		for i := 8; i < 32; i += 8 {
			if strings.Contains(id[:i], id[i:i+8]) {
				repeated++
			}
		}
	}
	if repeated > 2 {
		t.Errorf("%d of %d ids repeat 8 digits", repeated, ids)
	}
	for place := range seen {
		for _, digit := range []byte("0123456789abcdef") {
			if n := seen[place][digit]; n < ids/16*3/4 || n > ids/16*5/4 { // 8 standard deviations
				t.Errorf("%c at place %d: %d times of %d", digit, place, n, ids)
			}
		}
	}
}

func FuzzRequestID(f *testing.F) {
	for _, s := range []string{"", "a", "a b", "a\r\nb", "\x00", "ä", strings.Repeat("x", 128), strings.Repeat("x", 129)} {
		f.Add(s)
	}
	allowed := regexp.MustCompile(`\A[A-Za-z0-9._-]{1,128}\z`)
	f.Fuzz(func(t *testing.T, header string) {
		id := requestID(t, header)
		if allowed.MatchString(header) != (id == header) || !allowed.MatchString(id) {
			t.Errorf("%q became %q", header, id)
		}
	})
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

// TestRequestIDsAreUnique generates IDs in 4 goroutines of 2 processes at the
// same time. All must be different.
func TestRequestIDsAreUnique(t *testing.T) {
	const each = 100_000
	var mu sync.Mutex
	var ids []string
	keep := func(some []string) { mu.Lock(); ids = append(ids, some...); mu.Unlock() }
	makeIDs := func() {
		some := make([]string, each)
		h := middleware.RequestID(quiet)
		w := httptest.NewRecorder()
		for i := range some {
			h.ServeHTTP(w, &http.Request{})
			some[i] = w.Header()["X-Request-Id"][0]
		}
		keep(some)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(makeIDs)
	}
	if os.Getenv("MIDDLEWARE_TEST_PRINT_IDS") != "" {
		wg.Wait()
		out := bufio.NewWriter(os.Stdout)
		for _, id := range ids {
			fmt.Fprintln(out, "id", id)
		}
		out.Flush()
		return
	}
	other := exec.Command(os.Args[0], "-test.run=^TestRequestIDsAreUnique$")
	other.Env = append(os.Environ(), "MIDDLEWARE_TEST_PRINT_IDS=1")
	output, err := other.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(output)) {
		if id, ok := strings.CutPrefix(line, "id "); ok {
			keep([]string{strings.TrimSpace(id)})
		}
	}
	wg.Wait()
	slices.Sort(ids)
	if distinct := len(slices.Compact(slices.Clone(ids))); len(ids) != 8*each || distinct != len(ids) {
		t.Errorf("%d ids, %d of them distinct, want %d", len(ids), distinct, 8*each)
	}
}

func ExampleGetRequestID() {
	h := middleware.RequestID(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(len(middleware.GetRequestID(r.Context()))) // a new ID, because the client sent none
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	// Output: 32
}
