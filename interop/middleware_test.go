package interop

import (
	"bytes"
	"compress/gzip"
	"io"
	"log"
	"net/http"
	"regexp"
	"strings"

	"github.com/gorilla/handlers"
	"github.com/justinas/alice"
	"github.com/klauspost/compress/gzhttp"
	"github.com/unrolled/secure"
	"github.com/urfave/negroni/v3"
)

var middlewareRows = []row{
	{library: "github.com/klauspost/compress/gzhttp", name: "klauspost/compress/gzhttp", tried: "on the Mux: a large body and a flushed one are compressed; a small one, and one for a client that doesn't accept gzip, are not", run: runGzip},
	{library: "github.com/unrolled/secure", name: "unrolled/secure", tried: "on the Mux: headers on routes, 404 and 405; an unknown host is rejected", run: runSecure},
	{library: "github.com/gorilla/handlers", name: "gorilla/handlers", tried: "`CombinedLoggingHandler`, `CompressHandler`, `RecoveryHandler`, `ContentTypeHandler`, `ProxyHeaders`, `CanonicalHost`, `HTTPMethodOverrideHandler` around the router", run: runGorillaHandlers, plain: true},
	{library: "github.com/justinas/alice", name: "justinas/alice", tried: "a chain around one route, and as an argument of `Use`", run: runAlice},
	{library: "github.com/urfave/negroni/v3", name: "urfave/negroni", tried: "the router as `UseHandler`, with `Recovery` and `Logger`; path values and status with its writer", glue: "In pooled mode, middleware outside the router can't read path values after `next`; middleware in `Use` can.", run: runNegroni, plain: true},
}

func runGzip(s *site) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(100))
	s.must(err)
	s.mux.Use(func(h http.Handler) http.Handler { return wrap(h) })
	s.mux.GET("/repeat/:word", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat(r.PathValue("word"), 100))
	})
	s.mux.GET("/stream/:word", func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			io.WriteString(w, strings.Repeat(r.PathValue("word"), 100))
			if err := http.NewResponseController(w).Flush(); err != nil {
				s.Error(err)
			}
		}
	})
	s.start(s)
	for path, want := range map[string]string{
		"/repeat/long": strings.Repeat("long", 100),
		"/stream/long": strings.Repeat("long", 300),
	} {
		a := s.ask("GET", path, "", "Accept-Encoding: gzip")
		s.has(a, "Content-Encoding", "gzip")
		zr, err := gzip.NewReader(strings.NewReader(a.body))
		s.must(err)
		got, err := io.ReadAll(zr)
		s.must(err)
		s.equal("the body of "+path, string(got), want)
	}
	s.has(s.ask("GET", "/none", "", "Accept-Encoding: gzip"), "Content-Encoding", "")
	s.has(s.ask("GET", "/repeat/long", "", "Accept-Encoding: gzip;q=0"), "Content-Encoding", "")
}

func runSecure(s *site) {
	mw := secure.New(secure.Options{
		AllowedHosts: []string{`127\.0\.0\.1:\d+`}, AllowedHostsAreRegex: true,
		FrameDeny: true, ContentTypeNosniff: true, ContentSecurityPolicy: "default-src $NONCE",
	})
	s.mux.Use(mw.Handler)
	s.mux.GET("/notes/:id", func(w http.ResponseWriter, r *http.Request) {
		if secure.CSPNonce(r.Context()) == "" {
			s.Error("no nonce in the context")
		}
		sayValue("id")(w, r)
	})
	s.start(s)
	for _, a := range []answer{s.get("200 7", "/notes/7"), s.get("404 ...", "/none"), s.wants("405 ...", s.ask("POST", "/notes/7", ""))} {
		s.has(a, "X-Frame-Options", "DENY")
	}
	s.get("500 ...", "/notes/7", "Host: evil.example.com")
}

func runGorillaHandlers(s *site) {
	s.HandleFunc("POST /notes/{id}", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.URL.Scheme+" "+r.PathValue("id")+strings.Repeat(" ", 2000))
	})
	s.HandleFunc("DELETE /notes/{id}", sayValue("id"))
	s.HandleFunc("GET /panic/{id}", func(w http.ResponseWriter, r *http.Request) { panic(r.PathValue("id")) })
	var access, panics bytes.Buffer
	h := handlers.RecoveryHandler(handlers.RecoveryLogger(log.New(&panics, "", 0)))(handlers.ContentTypeHandler(s, "application/json"))
	h = handlers.ProxyHeaders(handlers.CompressHandler(h))
	s.start(handlers.CombinedLoggingHandler(&access, handlers.HTTPMethodOverrideHandler(h)))
	s.wants("200 https 7", s.ask("POST", "/notes/7", "{}", "Content-Type: application/json", "X-Forwarded-Proto: https"))
	s.wants("415 ...", s.ask("POST", "/notes/7", "x", "Content-Type: text/plain"))
	s.wants("200 8", s.ask("POST", "/notes/8", "", "Content-Type: application/json", "X-HTTP-Method-Override: DELETE"))
	s.get("500", "/panic/9")
	s.finish()
	if !strings.HasPrefix(panics.String(), "9") {
		s.Errorf("the panic's log: %s", &panics)
	}
	if !regexp.MustCompile(`"POST /notes/7 HTTP/[12]\.[01]" 200`).MatchString(access.String()) {
		s.Errorf("the access log: %s", &access)
	}
	s.start(handlers.CanonicalHost("https://example.com", http.StatusFound)(s))
	s.has(s.ask("GET", "/notes/7?q=1", ""), "Location", "https://example.com/notes/7?q=1")
}

func runAlice(s *site) {
	step := func(name string) alice.Constructor {
		return func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Add("Steps", name+r.PathValue("id")+r.Pattern)
				h.ServeHTTP(w, r)
			})
		}
	}
	s.mux.Use(alice.New(step("outer ")).Append(step("inner ")).Then)
	s.mux.Handle("GET /notes/{id}", alice.New(step("route ")).ThenFunc(sayValue("id")))
	s.start(s)
	a := s.get("200 7", "/notes/7")
	s.equal("steps", strings.Join(a.Header.Values("Steps"), ", "), "outer 7GET /notes/{id}, inner 7GET /notes/{id}, route 7GET /notes/{id}")
}

func runNegroni(s *site) {
	s.HandleFunc("GET /notes/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, r.PathValue("id"))
	})
	s.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("gone") })
	logger := negroni.NewLogger()
	logger.ALogger = log.New(io.Discard, "", 0)
	recovery := negroni.NewRecovery()
	recovery.Logger, recovery.PrintStack = log.New(io.Discard, "", 0), false
	var status int
	n := negroni.New(recovery, logger)
	n.UseFunc(func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		next(w, r)
		status = w.(negroni.ResponseWriter).Status()
		want := "7"
		if s.pooled() {
			want = ""
		}
		s.equal("the value after the call", r.PathValue("id"), want)
	})
	n.UseHandler(s)
	s.start(n)
	s.get("202 7", "/notes/7")
	s.finish()
	s.equal("status", status, 202)
}
