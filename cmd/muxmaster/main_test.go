package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

func show(http.ResponseWriter, *http.Request)   {}
func remove(http.ResponseWriter, *http.Request) {}

func login(next http.Handler) http.Handler { return next }
func audit(next http.Handler) http.Handler { return next }

// only returns a middleware that lets requests pass for which allow returns true.
func only(allow func(*http.Request) bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !allow(r) {
				http.Error(w, "not you", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// routes returns a Mux with the page at /debug/routes, and other handlers
// below /not.
func routes() *muxmaster.Mux {
	m := muxmaster.New()
	m.Mount("/debug/routes", inspect.Handler(m))
	m.GET("/users/:id", show)
	m.DELETE("/users/:id", remove)
	api := m.Group("/api")
	api.Use(login)
	api.GET("/items", show)
	api.GET("/items/{id:[0-9]{2,3}}", show)
	api.ANY("/{a:x/y|z}/b", show)
	api.With(audit).GET("/with", show)
	m.HandleFunc("admin.example.com/x", show)
	for name, text := range map[string]string{
		"html": "<html>", "null": "null", "object": `{"a":1}`, "list": `[{"a":1}]`, "number": "7", "empty": "", "cut": `[{"Pattern":`,
		"control": "[{\"Pattern\":\"/\\u001b[31m\u009b\",\"Method\":\"\\u0007\",\"Handler\":\"\\n\",\"File\":\"\\t\"}]",
	} {
		m.GET("/not/"+name+"/{file}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, text) })
	}
	m.GET("/not/fails/{file}", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "out of \x1b[31morder\nat all", 500) })
	m.GET("/not/moved/{file}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/debug/routes/"+r.PathValue("file")+"?"+r.URL.RawQuery, http.StatusFound)
	})
	m.GET("/not/login/{file}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/not/html/login", http.StatusFound) })
	m.GET("/not/loops/{file}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	m.GET("/not/cuts/{file}", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	m.With(only(func(r *http.Request) bool { return r.Header.Get("X-Key") == "a: b" })).Mount("/key", inspect.Handler(m))
	m.With(only(func(r *http.Request) bool { user, pass, _ := r.BasicAuth(); return user == "me" && pass == "pw" })).Mount("/user", inspect.Handler(m))
	m.Mount("/closed", inspect.HandlerFor(m, netip.MustParsePrefix("192.0.2.0/24")))
	m.GET("/not/auth/{file}", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "who are you?", 401) })
	return m
}

func TestCommand(t *testing.T) {
	srv := httptest.NewServer(routes())
	defer srv.Close()
	tls := httptest.NewUnstartedServer(routes())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0) // don't log rejected certificates
	tls.StartTLS()
	defer tls.Close()
	many := muxmaster.New()
	many.Mount("/r", inspect.Handler(many))
	for i := range 50 {
		many.GET(fmt.Sprintf("/x/%d", i), show)
	}
	big := httptest.NewServer(many)
	defer big.Close()
	below := muxmaster.New() // a service behind a base path
	below.Mount("/base/path", http.StripPrefix("/base/path", routes()))
	deep := httptest.NewServer(below)
	defer deep.Close()
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	words := strings.NewReplacer("URL", srv.URL+"/debug/routes", "HOST", srv.Listener.Addr().String(), "TLS", tls.URL+"/debug/routes",
		"BIG", big.URL+"/r", "DEEP", deep.URL+"/base/path/debug/routes", "NOT", srv.URL+"/not", "SRV", srv.URL, "PORT", port, "CLOSED", closedAddress(t))
	for _, c := range []commandLine{
		{"routes URL", 0, "GET     /users/:id"},
		{"routes URL/", 0, "  muxmaster.show "},
		{"routes URL", 0, "  main_test.go:"},
		{"routes URL", 0, "*       admin.example.com/x"},
		{"routes HOST/debug/routes", 0, "/users/:id"},
		{"routes URL/routes.json?x=1#top", 0, "/users/:id"},
		{"routes URL/?q=users#/users", 0, "/users/:id"},
		{"routes DEEP", 0, "/users/:id"},
		{"routes NOT/moved", 0, "/users/:id"},
		{"-json routes URL", 0, `"Pattern": "/users/:id"`},
		{"routes -json URL", 0, `"Pattern": "/users/:id"`},
		{"routes URL -json", 0, `"Pattern": "/users/:id"`},
		{"routes -insecure TLS", 0, "/users/:id"},
		{"routes -tree URL", 0, "/api  group + muxmaster.login\n  /items\n    /items            GET     muxmaster.show       main_test.go:"},
		{"routes -tree URL", 0, "\n    /{id:[0-9]{2,3}}"},
		{"routes -tree URL", 0, "\n  /{a:x/y|z}/b "},
		{"routes -tree URL", 0, "\n/users/:id            GET     muxmaster.show       main_test.go:"},
		{"routes -tree URL", 0, "\n/users/:id            DELETE  muxmaster.remove "},
		{"routes -tree URL", 0, "  + muxmaster.audit\n"},
		{"routes -tree URL", 0, "\nadmin.example.com/x "},
		{"routes -H X-Key:a:~b SRV/key", 0, "/users/:id"},
		{"routes http://me:pw@HOST/user", 0, "/users/:id"},

		{"explain URL GET /users/12", 0, "GET /users/12: /users/:id\n"},
		{"explain URL /users/12", 0, "  handler     muxmaster.show  main_test.go:"},
		{"explain URL get /users/a%2Fb?x=y", 0, "  values      id = \"a/b\"\n"},
		{"explain URL /api/items", 0, "  middleware  muxmaster.login\n"},
		{"explain URL /users/12", 0, "\nNot served by\n  DELETE  /users/:id "},
		{"explain URL POST /users/12", 0, "POST /users/12: 405 Method Not Allowed\n  Allow: GET, HEAD, DELETE, OPTIONS\n"},
		{"explain URL GET /users/", 0, "GET /users/: 404 Not Found\n"},
		{"explain URL GET /api/none", 0, "404 Not Found\n  by the Group or Mux at /api\n"},
		{"explain URL GET //users/7", 0, "  Location: /users/7\n"},
		{"explain URL GET http://admin.example.com/x", 0, ": admin.example.com/x\n"},
		{"explain URL brew /users/1", 0, "brew /users/1: 405"},
		{"explain -json URL GET /users/12", 0, `"Value": "12"`},
		{"explain BIG /x/7", 0, "  and 30 more; -all lists them\n"},
		{"explain BIG /x/7", 0, "!/x/49"},
		{"explain -all BIG /x/7", 0, "/x/49"},
		{"explain URL GET users", 2, `the path "users" must begin with a slash`},
		{"explain URL GET /x%", 0, "GET /x%: 400 Bad Request\n"},

		{"openapi URL", 0, `"openapi": "3.1.0"`},
		{"openapi URL", 0, `"pattern": "^(?:[0-9]{2,3})$"`},

		{"routes SRV/none", 2, `/none/routes.json returned 404 Not Found: "404 page not found"; check that inspect.Handler is mounted there`},
		{"routes SRV/closed", 2, "/closed/routes.json returned 403 Forbidden: \"inspect: "},
		{"routes SRV/closed", 2, "shown only to clients in the networks of HandlerFor"},
		{"routes http://none.invalid/", 2, "; check the name of the host\n"},
		{"routes http://app.localhost:PORT/debug/routes", 0, "/users/:id"},
		{"routes NOT/auth", 2, `returned 401 Unauthorized: "who are you?"; send a login with -H`},
		{"routes NOT/fails", 2, `returned 500 Internal Server Error: "out of \x1b[31morder"`},
		{"routes NOT/login", 2, "/not/html/login is not the page of package inspect: invalid character '<'"},
		{"routes NOT/loops", 2, "stopped after 10 redirects"},
		{"routes NOT/cuts", 2, "no response from http://"},
		{"routes NOT/object", 2, "is not the page of package inspect: json: cannot unmarshal object"},
		{"routes NOT/list", 2, "the response is not from the page of package inspect"},
		{"routes NOT/number", 2, "is not the page of package inspect"},
		{"routes NOT/empty", 2, "is not the page of package inspect: unexpected end of JSON input"},
		{"routes NOT/cut", 2, "is not the page of package inspect: unexpected end of JSON input"},
		{"explain NOT/object /x", 2, "the response is not from the page of package inspect"},
		{"explain NOT/null /x", 2, "the response is not from the page of package inspect"},
		{"openapi NOT/object", 2, "the response is not from the page of package inspect"},
		{"routes http://CLOSED/debug", 2, "connection refused; check that the service is running on this port"},
		{"routes https://HOST/debug/routes", 2, "use http:// for this service"},
		{"routes http://me:pw@CLOSED/", 2, "http://me:xxxxx@"},
		{"routes TLS", 2, "; to accept the certificate, use -insecure"},
		{"routes http://name.invalid:1/", 2, "no response from http://name.invalid:1: "},

		{"", 2, "missing command: use routes, explain, openapi, compare, diff or urls\n\nusage: muxmaster routes"},
		{"routes", 2, "routes needs the URL of the page\n\nusage: "},
		{"routes", 2, "[PACKAGE]\n\nmuxmaster -h prints more.\n"},
		{"explain URL", 2, "explain needs a path, such as /users/1"},
		{"list URL", 2, `unknown command "list": use routes, explain, openapi, compare, diff or urls`},
		{"routes URL GET", 2, `unexpected argument "GET" of routes`},
		{"compare -routes FILE URL URL -json", 2, "compare has no flag -json"},
		{"diff -tree FILE FILE", 2, "diff has no flag -tree"},
		{"routes URL -log FILE", 2, "routes has no flag -log"},
		{"routes -x URL", 2, "flag provided but not defined: -x"},
		{"routes -H none URL", 2, `invalid value "none" for flag -H: write "Name: value"`},
		{"routes ftp://HOST/", 2, "it must begin with http:// or https://"},
		{"routes http:///debug", 2, "it has no host"},
		{"routes http://[::1/", 2, `bad URL "http://[::1/": missing ']' in host`},
		{"help", 0, "usage: muxmaster routes"},
		{"-h", 0, "usage: muxmaster routes"},
	} {
		if stdout, stderr := c.test(t, words); (c.status == 0) != (stderr == "") || c.status != 0 && stdout != "" {
			t.Errorf("%s: standard output %q, standard error %q", c.args, stdout, stderr)
		}
	}
}

// A commandLine is a command with its exit status.
type commandLine struct {
	args   string // ~ for a space in an argument
	status int
	want   string // substring of the output; with !, it must be missing
}

// test runs the command, with words replaced, and returns its output.
func (c commandLine) test(t *testing.T, words *strings.Replacer) (stdout, stderr string) {
	t.Helper()
	args := strings.Fields(words.Replace(c.args))
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "~", " ")
	}
	var out, errs strings.Builder
	if status := run(args, &out, &errs); status != c.status {
		t.Errorf("%s: exit status %d, want %d: %s", c.args, status, c.status, &errs)
	}
	// With -trimpath, file names begin with the path of the package.
	got := strings.ReplaceAll(out.String()+errs.String(), "github.com/seed-1954dcaa/muxmaster/cmd/muxmaster/", "")
	if strings.Contains(got, strings.TrimPrefix(c.want, "!")) == strings.HasPrefix(c.want, "!") {
		t.Errorf("%s: got\n%s\nwant %q in it", c.args, got, c.want)
	}
	return out.String(), errs.String()
}

// TestControlCharacters checks that escape sequences in responses of another
// service aren't printed.
func TestControlCharacters(t *testing.T) {
	srv := httptest.NewServer(routes())
	defer srv.Close()
	for _, args := range [][]string{{"routes"}, {"routes", "-tree"}} {
		var out, errs strings.Builder
		if status := run(append(args, srv.URL+"/not/control"), &out, &errs); status != 0 {
			t.Fatal(errs.String())
		}
		for _, r := range strings.TrimRight(out.String(), "\n") {
			if r < ' ' || 0x7F <= r && r < 0xA0 {
				t.Errorf("%q: %q has the control character %U", args, &out, r)
			}
		}
	}
}

func closedAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
