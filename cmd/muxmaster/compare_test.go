package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// requireLogin refuses clients without a header.
func requireLogin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			http.Error(w, "log in", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// version returns a service of which version 2 has lost a login and a route, and
// has another handler for /changed.
func version(n int) *muxmaster.Mux {
	m := muxmaster.New()
	m.GET("/users/:id", show)
	m.GET("/b%2Fc/x", show)
	m.GET("/stops/:how", func(w http.ResponseWriter, r *http.Request) { // without a response that a client can read
		w.Header().Set("Location", r.PathValue("how"))
		if r.PathValue("how") == "1" {
			panic(http.ErrAbortHandler)
		}
	})
	m.GET("/stops/{when:late|early}", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(time.Minute): // if the client waits for it
			}
			return
		}
		if r.PathValue("when") == "late" {
			io.WriteString(w, "begun")
			http.NewResponseController(w).Flush()
		}
		if n == 2 {
			panic(http.ErrAbortHandler)
		}
	})
	admin := m.Group("/admin")
	if n == 1 {
		admin.Use(requireLogin)
		m.GET("/gone", show)
		m.Handle("GET tenant.example/who", http.HandlerFunc(show))
		m.GET("/changed", show)
	} else {
		m.GET("/changed", remove)
	}
	admin.GET("/x", show)
	sub := muxmaster.New()
	sub.GET("/y", show)
	m.Mount("/sub", sub)
	m.Mount("/routes", inspect.Handler(m))
	return m
}

// files writes the routes of a Mux and returns the name of the file.
func routesFile(t *testing.T, m *muxmaster.Mux) string {
	t.Helper()
	data, err := json.Marshal(inspect.Examine(m))
	if err != nil {
		t.Fatal(err)
	}
	return file(t, string(data))
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCompare(t *testing.T) {
	one, two := httptest.NewServer(version(1)), httptest.NewServer(version(2))
	defer one.Close()
	defer two.Close()
	secure := httptest.NewUnstartedServer(version(1))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // don't log rejected certificates
	secure.StartTLS()
	defer secure.Close()
	base := httptest.NewServer(http.StripPrefix("/base", version(1)))
	defer base.Close()
	words := strings.NewReplacer("ONE", one.URL, "LOCAL", strings.Replace(one.URL, "127.0.0.1", "one.LocalHost", 1), "TWO", two.URL, "BASE", base.URL+"/base", "CLOSED", "http://"+closedAddress(t),
		"ROUTES1", routesFile(t, version(1)), "ROUTES2", routesFile(t, version(2)), "NONE", filepath.Join(t.TempDir(), "none"), "BAD", file(t, "{}"),
		"EARLY", file(t, `x "GET /stops/early HTTP/1.1" 200`), "LATE", file(t, `x "GET /stops/late HTTP/1.1" 200`), "TLS", secure.URL,
		"NEVER", file(t, "x \"GET /stops/early HTTP/1.1\" 200\nx \"GET /stops/early?2 HTTP/1.1\" 200\nx \"GET /stops/early?3 HTTP/1.1\" 200\n"),
		"HEAD", file(t, "x \"HEAD /stops/late HTTP/1.1\" 200\nx \"GET /gone HTTP/1.1\" 200\n"),
		"LOG", file(t, `x "GET /gone HTTP/1.1" 200`), "WHO", file(t, `x "GET /who HTTP/1.1" 200`), "HAR", file(t, `{"log":{"entries":[{"request":{"method":"G ET","url":"http://h/"}},{"request":{"method":"GET","url":"http://h/gone"}}]}}`))
	for _, c := range []commandLine{
		{"compare -routes ROUTES1 ONE ONE", 0, " requests, 0 differ\nno difference\n"},
		{"compare -routes ROUTES1 ONE LOCAL", 0, "no difference\n"},
		{"compare -routes ROUTES1 ONE BASE", 0, "no difference\n"},
		{"compare -routes ROUTES1 ONE TWO", 1, "\nlost login: "},
		{"compare -routes ROUTES1 ONE TWO", 1, "  GET /admin/x: 401, now 200 (and "},
		{"compare -routes ROUTES1 ONE TWO", 1, "lost route: "},
		{"compare -routes ROUTES1 ONE TWO", 1, "\ncrash: "},
		{"compare -log EARLY ONE TWO", 1, "  GET /stops/early: 200, now panic: EOF"},
		{"compare -log LATE ONE TWO", 1, "  GET /stops/late: 200, now panic: unexpected EOF"},
		{"compare -log EARLY -log EARLY TWO ONE", 1, "1 request, 1 differs\nstatus: 1 request\n  GET /stops/early: panic: EOF, now 200\n"},
		{"compare -log HEAD ONE TWO", 1, "2 requests, 1 differs\nlost route: 1 request\n  GET /gone: 200, now 404\n"},
		{"compare -log NEVER ONE TWO", 2, "muxmaster: no response from http://"},
		{"compare -routes ROUTES1 ONE TLS", 2, "; to accept the certificate, use -insecure\n"},
		{"compare -insecure -routes ROUTES1 ONE TLS", 0, "no difference\n"},
		{"compare -routes ROUTES1 -H Authorization:x ONE TWO", 1, "!lost login"},
		{"compare -log LOG ONE TWO", 1, "1 request, 1 differs\nlost route: 1 request\n  GET /gone: 200, now 404\n"},
		{"compare -log WHO -H Host:tenant.example ONE TWO", 1, "lost route: 1 request\n  GET tenant.example/who: 200, now 404\n"},
		{"compare -har HAR ONE TWO", 1, "lost route: 1 request\n  GET h/gone: 200, now 404\n"},
		{"compare -routes ROUTES1 ONE CLOSED", 2, "muxmaster: no response from http://"},
		{"compare -routes BAD ONE TWO", 2, "not a routes.json"},
		{"compare -routes NONE ONE TWO", 2, "no such file"},
		{"compare ONE TWO", 2, "compare needs requests"},
		{"compare -routes ROUTES1 ONE", 2, "compare needs the URLs of two services"},
		{"compare -routes ROUTES1 ONE TWO/routes", 2, "/routes is the page of the routes; compare needs the address of the service, such as http://127.0.0.1:"},
		{"compare -routes ROUTES1 ftp://x ONE", 2, "it must begin with http://"},

		{"diff ROUTES1 ROUTES1", 0, "no difference\n"},
		{"diff ROUTES1 ROUTES2", 1, "lost login: "},
		{"diff ROUTES1 ROUTES2", 1, "  GET /admin/x: muxmaster.requireLogin, now none (and "},
		{"diff ROUTES1 ROUTES2", 1, "  GET /gone: 200 by GET /gone, now 404"},
		{"diff ROUTES1 ROUTES2", 1, "handler: 6 requests\n  GET /changed: muxmaster.show, now muxmaster.remove by GET /changed (and "},
		{"diff ROUTES2 ROUTES1", 1, "new login: "},
		{"diff ROUTES1 BAD", 2, "not a routes.json"},
		{"diff ROUTES1", 2, "diff needs two routes.json files"},
	} {
		c.test(t, words)
	}
}
