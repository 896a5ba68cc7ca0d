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

// earlyResponse is a transport that responds while it is still reading the
// request body in another goroutine, like http.Transport if the server doesn't
// wait for the body.
type earlyResponse struct{}

func (earlyResponse) RoundTrip(r *http.Request) (*http.Response, error) {
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

// TestBodyLimitExceededElsewhere exceeds the limit in another goroutine, while
// the handler responds or after it has returned. BodyLimit must not use the
// response there, which the race detector checks.
func TestBodyLimitExceededElsewhere(t *testing.T) {
	proxy := &httputil.ReverseProxy{Transport: earlyResponse{}, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "x"}) }}
	for _, proto := range protos {
		srv, _ := start(t, proto, middleware.BodyLimit(1000)(proxy))
		for range 50 {
			resp, err := srv.Client().Post(srv.URL, "text/plain", io.MultiReader(strings.NewReader(strings.Repeat("x", 2000))))
			if err != nil {
				continue // the connection was closed before everything was sent
			}
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s: %s", proto, resp.Status)
			}
			resp.Body.Close()
		}
	}
}
