package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestLogin(t *testing.T) {
	srv := httptest.NewServer(newMux())
	defer srv.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	form := func(user, password string) string {
		return url.Values{"user": {user}, "password": {password}}.Encode()
	}
	for _, c := range []struct {
		method, path, body string
		site               string // Sec-Fetch-Site
		status             int
		want               string // Location or part of the body
	}{
		{"GET", "/", "", "", 303, "/account"},
		{"GET", "/account", "", "", 303, "/login"},
		{"GET", "/account/none", "", "", 303, "/login"}, // doesn't reveal which pages exist
		{"GET", "/login", "", "", 200, "<form"},
		{"POST", "/login", form("ada", "wrong"), "same-origin", 401, "wrong user or password"},
		{"POST", "/login", form("bob", "lovelace"), "same-origin", 401, "wrong user or password"},
		{"POST", "/login", form("", ""), "same-origin", 401, "wrong user or password"},
		{"POST", "/login", form("ada", "lovelace"), "cross-site", 403, ""},
		{"POST", "/login", form("ada", strings.Repeat("x", 5000)), "same-origin", 413, ""},
		{"POST", "/login", form("ada", "lovelace"), "same-origin", 303, "/account"},
		{"GET", "/account", "", "", 200, "Hello, ada."},
		{"GET", "/account/none", "", "", 404, ""},
		{"POST", "/logout", "", "cross-site", 403, ""},
		{"POST", "/logout", "", "same-origin", 303, "/login"},
		{"GET", "/account", "", "", 303, "/login"},
	} {
		req, err := http.NewRequest(c.method, srv.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if c.site != "" {
			req.Header.Set("Sec-Fetch-Site", c.site)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Location") + string(body); resp.StatusCode != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s %s %s: got %d %s, want %d %s", c.method, c.path, c.body, resp.StatusCode, got, c.status, c.want)
		}
	}
}
