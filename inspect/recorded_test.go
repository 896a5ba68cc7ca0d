package inspect

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadLog(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.0" 200 2326`, "GET example.com/a?b=c"},
		{`192.0.2.1 - ann [10/Oct/2000:13:55:36 -0700] "POST /a%2Fb HTTP/1.1" 200 2 "https://x.example/\"" "Mozilla \"5\""`, "POST example.com/a%2Fb"},
		{`x "GET http://other.example/a HTTP/1.1" 200`, "GET other.example/a"},
		{`x "GET /\xc3\xa9\x22 HTTP/1.1" 200`, "GET example.com/\xc3\xa9\""},
		{`x "GET /a\\b HTTP/2.0" 200`, `GET example.com/a\b`},
		{`{"method":"PUT","path":"/a"}`, "PUT example.com/a"},
		{`{"method":"PUT","path":"/a","query":"b=c","host":"h.example"}`, "PUT h.example/a?b=c"},
		{`{"request_method":"GET","request_uri":"/a?b"}`, "GET example.com/a?b"},
		{`{"request":{"method":"GET","uri":"/a","host":"h.example"},"status":200}`, "GET h.example/a"},
		{`{"request":"GET /a HTTP/1.1"}`, "GET example.com/a"},
		{`{"httpRequest":{"requestMethod":"GET","requestUrl":"https://h.example/a?b"}}`, "GET h.example/a?b"},
		{`{"RequestMethod":"GET","RequestPath":"/a","RequestHost":"h.example"}`, "GET h.example/a"},
		{`x "-" 400`, ""},
		{`x "\x16\x03\x01" 400`, ""},
		{`x "GET /a" 400`, ""},
		{`x "GET a HTTP/1.1" 400`, ""},
		{`x "OPTIONS * HTTP/1.1" 200`, ""},
		{`x "get /a HTTP/1.1" 400`, ""},
		{`{"method":"GET"}`, ""},
		{`{"method":1,"path":[]}`, ""},
		{`{`, ""},
		{``, ""},
		{`text`, ""},
	} {
		list, err := ReadLog(strings.NewReader(tt.line + "\r\n" + tt.line))
		got := ""
		for _, r := range list {
			got += r.Method + " " + r.Host + r.RequestURI
		}
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: got %q, %v, want %q", tt.line, got, err, tt.want)
		}
	}
}

func TestReadLimits(t *testing.T) {
	good := `x "GET /a HTTP/1.1" 200` + "\n"
	if list, err := ReadLog(io.MultiReader(strings.NewReader(good), strings.NewReader(strings.Repeat(`"GET /`, 1<<20)+"\n"), strings.NewReader(`x "GET /b HTTP/1.1" 200`))); err != nil || len(list) != 2 {
		t.Errorf("around a long line: %d requests, %v", len(list), err)
	}
	gone := errors.New("gone")
	if _, err := ReadLog(io.MultiReader(strings.NewReader(good), iotest.ErrReader(gone))); !errors.Is(err, gone) {
		t.Errorf("a reader that fails: %v", err)
	}
	var many strings.Builder
	for i := range maxRequests + 1 {
		fmt.Fprintf(&many, "x \"GET /%d HTTP/1.1\" 200\n", i)
	}
	if _, err := ReadLog(strings.NewReader(many.String())); err == nil || !strings.Contains(err.Error(), "more than 200000") {
		t.Errorf("too many requests: %v", err)
	}
	defer func(n int64) { maxInput = n }(maxInput)
	maxInput = 100
	for name, read := range map[string]func(io.Reader) ([]*http.Request, error){"paths in the log are": ReadLog, "HAR file is": ReadHAR} {
		text := strings.Repeat(" ", 101) + many.String()
		if _, err := read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), name+" larger than") {
			t.Errorf("a file that is too large: %v", err)
		}
	}
}

func TestReadHAR(t *testing.T) {
	list, err := ReadHAR(strings.NewReader("\ufeff" + `{"log":{"version":"1.2","entries":[
		{"request":{"method":"GET","url":"https://h.example/a?b=c","headers":[{"name":":authority","value":"h"},{"name":"a b"},{"name":""},{"name":"x","value":"a\nb"},{"name":"host","value":"h"},{"name":"cookie","value":"s=1"},{"name":"accept-encoding","value":"br"}]}},
		{"request":{"method":"POST","url":"https://h.example/x","postData":{"mimeType":"text/plain","text":"sent"}}},
		{"request":{"method":"G ET","url":"https://h.example/invalid"}},
		{"request":{"method":"GET","url":"data:text/plain,x"}}]}}`))
	if err != nil || len(list) != 2 {
		t.Fatalf("%d requests, %v", len(list), err)
	}
	get, post := list[0], list[1]
	if get.Host != "h.example" || get.RequestURI != "/a?b=c" || len(get.Header) != 1 || get.Header.Get("Cookie") != "s=1" {
		t.Errorf("got %s %s %v", get.Host, get.RequestURI, get.Header)
	}
	for range 2 {
		body, _ := post.GetBody()
		if text, _ := io.ReadAll(body); string(text) != "sent" || post.ContentLength != 4 {
			t.Errorf("the body is %q, with the length %d", text, post.ContentLength)
		}
	}
	for _, bad := range []string{"", "{}", `{"log":{"entries":[]}}`, "[]", `{"log":{"entries":[{"request":{"method":"","url":""}}]}}`} {
		if _, err := ReadHAR(strings.NewReader(bad)); err == nil || !strings.HasPrefix(err.Error(), "inspect: ") || strings.Contains(err.Error(), "struct {") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add(`x "GET /\xc3\xa9\x22\ HTTP/1.1" 200`)
	f.Add(`{"request":{"method":"GET","uri":"http://[::1"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := ReadLog(strings.NewReader(text))
		for _, r := range list {
			if r.URL == nil || !strings.HasPrefix(r.RequestURI, "/") || r.Host == "" {
				t.Errorf("%q: a request for %q of %q", text, r.RequestURI, r.Host)
			}
		}
	})
}
