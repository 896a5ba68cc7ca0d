package middleware_test

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleBasicAuth() {
	wantUser, wantPass := sha256.Sum256([]byte("admin")), sha256.Sum256([]byte("correct horse battery staple"))
	auth := middleware.BasicAuth("metrics", func(user, pass string) bool {
		u, p := sha256.Sum256([]byte(user)), sha256.Sum256([]byte(pass))
		// & instead of &&: always compare both.
		return subtle.ConstantTimeCompare(u[:], wantUser[:])&subtle.ConstantTimeCompare(p[:], wantPass[:]) == 1
	})
	h := auth(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "welcome") }))
	r := httptest.NewRequest("GET", "/", nil)
	for _, pass := range []string{"a guess", "correct horse battery staple"} {
		r.SetBasicAuth("admin", pass)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("WWW-Authenticate"))
	}
	// Output:
	// 401 Basic realm="metrics", charset="UTF-8"
	// 200
}

func TestBasicAuth(t *testing.T) {
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, tt := range []struct {
		headers []string
		asked   string // arguments of check
		code    int
	}{
		{nil, "", 401},
		{[]string{"Basic " + encode("u:p")}, "u p", 200},
		{[]string{"basic " + encode("u:p")}, "u p", 200},
		{[]string{"Basic " + encode("ü:pä:ö")}, "ü pä:ö", 401},
		{[]string{"Basic " + encode("u:")}, "u ", 401},
		{[]string{"Basic " + encode(":p")}, " p", 401},
		{[]string{"Basic " + encode("u")}, "", 401},
		{[]string{"Basic !!!"}, "", 401},
		{[]string{"Basic"}, "", 401},
		{[]string{""}, "", 401},
		{[]string{"Bearer " + encode("u:p")}, "", 401},
		{[]string{"Basic " + encode("u:p"), "Basic " + encode("u:p")}, "", 401},
		{[]string{"Basic " + encode("u:p"), "Bearer x"}, "", 401},
	} {
		asked := ""
		h := middleware.BasicAuth("r", func(user, pass string) bool { asked = user + " " + pass; return asked == "u p" })(text("in"))
		r := get("/")
		r.Header["Authorization"] = tt.headers
		w := serve(h, r)
		if w.Code != tt.code || asked != tt.asked || (w.Body.String() == "in") != (tt.code == 200) {
			t.Errorf("%q: %d %q, check saw %q; want %d, %q", tt.headers, w.Code, w.Body, asked, tt.code, tt.asked)
		}
		if challenged := w.Header().Get("WWW-Authenticate") != ""; challenged != (tt.code == 401) {
			t.Errorf("%q: challenged: %v", tt.headers, challenged)
		}
	}
}

func TestBasicAuthRealm(t *testing.T) {
	for _, tt := range []struct{ realm, want string }{
		{"", `Basic realm="", charset="UTF-8"`},
		{"the lab", `Basic realm="the lab", charset="UTF-8"`},
		{`a "b" \c`, `Basic realm="a \"b\" \\c", charset="UTF-8"`},
		{`", realm="x`, `Basic realm="\", realm=\"x", charset="UTF-8"`},
		{"Küche", `Basic realm="Küche", charset="UTF-8"`},
	} {
		w := serve(middleware.BasicAuth(tt.realm, func(string, string) bool { return false })(quiet), get("/"))
		if got := w.Header().Get("WWW-Authenticate"); got != tt.want {
			t.Errorf("realm %q: %s, want %s", tt.realm, got, tt.want)
		}
	}
	for _, realm := range []string{"a\r\nSet-Cookie: x", "a\nb", "\x00", "\x7f"} {
		wantPanic(t, fmt.Sprintf("middleware: BasicAuth: the realm %q contains a control character; remove it", realm),
			func() { middleware.BasicAuth(realm, func(string, string) bool { return true }) })
	}
	wantPanic(t, "middleware: BasicAuth: check is nil; pass a function that compares user and password in constant time", func() { middleware.BasicAuth("r", nil) })
}
