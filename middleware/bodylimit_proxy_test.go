package middleware_test

import (
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// earlyAnswer is a transport that answers while it is still reading the
// request's body on another goroutine, as http.Transport does if the other
// server doesn't wait for it.
type earlyAnswer struct{}

func (earlyAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	go func() {
		defer r.Body.Close()
		io.Copy(io.Discard, r.Body)
	}()
	header := http.Header{}
	for _, name := range strings.Fields("A B C D E F G H I J K L M N O P") {
		header.Set(name, "x")
	}
	return &http.Response{StatusCode: http.StatusUnauthorized, Header: header, Body: http.NoBody, Request: r}, nil
}

// The limit is exceeded on another goroutine, while the answer is made or when
// the handler has returned. The response must not be touched from there: go
// test -race watches.
func TestBodyLimitExceededElsewhere(t *testing.T) {
	proxy := &httputil.ReverseProxy{Transport: earlyAnswer{}, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "x"}) }}
	for _, proto := range protos {
		srv, _ := start(t, proto, middleware.BodyLimit(1000)(proxy))
		for range 50 {
			resp, err := srv.Client().Post(srv.URL, "text/plain", io.MultiReader(strings.NewReader(strings.Repeat("x", 2000))))
			if err != nil {
				continue // the connection was closed before all was sent
			}
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s: %s", proto, resp.Status)
			}
			resp.Body.Close()
		}
	}
}
