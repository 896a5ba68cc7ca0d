package interop

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httplog/v3"
	"github.com/go-chi/httprate"
	"github.com/go-chi/jwtauth/v5"

	muxmiddleware "github.com/seed-1954dcaa/muxmaster/middleware"
)

var chiRows = []row{
	{library: "github.com/go-chi/chi/v5", name: "chi's middleware", tried: "`RequestID`, `RealIP`, `Logger`, `Recoverer`, `Timeout`, `Compress`, `AllowContentType`, `RequestSize`, `SetHeader`, `NoCache`, `Throttle`, `WithValue`, `ContentCharset`, `BasicAuth` in one stack", run: runChiStack},
	{library: "github.com/go-chi/chi/v5", name: "chi's path middleware", tried: "`Heartbeat` and `StripSlashes` in `Pre`, `Profiler` mounted", glue: "`Profiler` is a chi router: `http.StripPrefix` around it.",
		limit: "`CleanPath` and `GetHead` panic outside of a chi router. muxmaster has both features built in.", run: runChiPaths},
	{library: "github.com/go-chi/chi/v5", name: "a chi router", tried: "mounted below a prefix, for gradual migration, and as the outer router around the Mux", run: runChiRouter},
	{library: "github.com/go-chi/httplog/v3", name: "go-chi/httplog", tried: "in `Pre`: request log with status, recovered panic", run: runHTTPLog},
	{library: "github.com/go-chi/httprate", name: "go-chi/httprate", tried: "per IP on a Group, keyed by a path value elsewhere", run: runHTTPRate},
	{library: "github.com/go-chi/jwtauth/v5", name: "go-chi/jwtauth", tried: "verifier and authenticator on a Group: no token, an invalid token, a valid token", run: runJWTAuth},
}

func runChiStack(s *site) {
	var out strings.Builder
	logger := middleware.RequestLogger(quiet{middleware.DefaultLogFormatter{Logger: log.New(&out, "", 0), NoColor: true}})
	s.mux.Use(middleware.RequestID, middleware.RealIP, logger, middleware.Recoverer, middleware.Timeout(time.Minute), middleware.Compress(5, "text/plain"),
		middleware.RequestSize(1000), middleware.SetHeader("X-Stack", "chi"), middleware.NoCache, middleware.Throttle(50), middleware.WithValue("key", "value"))
	s.mux.GET("/notes/:id", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, r.PathValue("id")+" "+r.RemoteAddr+" "+r.Context().Value("key").(string))
	})
	s.mux.GET("/panic", func(http.ResponseWriter, *http.Request) { panic("gone") })
	api := s.mux.Group("/api")
	api.Use(middleware.AllowContentType("application/json"), middleware.ContentCharset("UTF-8", ""), middleware.BasicAuth("api", map[string]string{"gopher": "secret"}))
	api.POST("/notes/:id", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		io.WriteString(w, r.PathValue("id"))
	})
	s.start(s)
	a := s.get("200 7 192.0.2.1 value", "/notes/7", "X-Real-IP: 192.0.2.1")
	s.has(a, "X-Stack", "chi")
	s.has(s.get("404 ...", "/none"), "X-Stack", "chi")
	s.get("500", "/panic")
	basic := "Authorization: Basic Z29waGVyOnNlY3JldA=="
	s.wants("401", s.ask("POST", "/api/notes/8", "{}", "Content-Type: application/json"))
	s.wants("415", s.ask("POST", "/api/notes/8", "x", "Content-Type: text/plain", basic))
	s.wants("415", s.ask("POST", "/api/notes/8", "{}", "Content-Type: application/json; charset=latin1", basic))
	s.wants("413 ...", s.ask("POST", "/api/notes/8", strings.Repeat("x", 2000), "Content-Type: application/json", basic))
	s.wants("200 8", s.ask("POST", "/api/notes/8", "{}", "Content-Type: application/json; charset=utf-8", basic))
	s.finish()
	s.contains("the log", out.String(), fmt.Sprintf(`/notes/7 %s" from 192.0.2.1 - 200 `, a.Proto))
}

// quiet formats log lines like chi, but doesn't print the stack of a panic.
type quiet struct{ middleware.DefaultLogFormatter }

func (q quiet) NewLogEntry(r *http.Request) middleware.LogEntry {
	return quietEntry{q.DefaultLogFormatter.NewLogEntry(r)}
}

type quietEntry struct{ middleware.LogEntry }

func (quietEntry) Panic(any, []byte) {}

var recoverer = muxmiddleware.RecovererWithLogger(slog.New(slog.DiscardHandler))

func runChiPaths(s *site) {
	s.mux.Pre(middleware.Heartbeat("/ping"), middleware.StripSlashes)
	s.mux.GET("/notes/:id", sayValue("id"))
	s.mux.Mount("/debug", http.StripPrefix("/debug", middleware.Profiler()))
	s.start(s)
	s.get("200 .", "/ping")
	s.get("200 7", "/notes/7/")
	s.wants("200", s.ask("HEAD", "/notes/7", ""))
	s.get("200 goroutine profile: ...", "/debug/pprof/goroutine?debug=1")
	s.get("200 {...", "/debug/vars")
	for _, chiOnly := range []func(http.Handler) http.Handler{middleware.CleanPath, middleware.GetHead} {
		s.start(recoverer(chiOnly(s)))
		s.wants("500", s.ask("HEAD", "/notes/7", ""))
	}
}

func runChiRouter(s *site) {
	sayParam := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, chi.URLParam(r, "id")+" "+r.PathValue("id")+" "+r.PathValue("tenant"))
	}
	old := chi.NewRouter()
	old.Get("/old/{tenant}/notes/{id}", sayParam)
	s.mux.Mount("/old", old)
	s.mux.GET("/new/:tenant/notes/:id", sayValue("id"))
	s.start(s)
	s.get("200 7 7 acme", "/old/acme/notes/7")
	s.get("404 ...", "/old/none")
	s.get("200 8", "/new/acme/notes/8")

	outer := chi.NewRouter()
	outer.Get("/old/{id}", sayParam)
	outer.Mount("/", s)
	s.start(outer)
	s.get("200 7 7", "/old/7")
	s.get("200 8", "/new/acme/notes/8")
}

func runHTTPLog(s *site) {
	var out strings.Builder
	s.mux.Pre(httplog.RequestLogger(slog.New(slog.NewJSONHandler(&out, nil)), &httplog.Options{RecoverPanics: true}))
	s.mux.GET("/notes/:id", func(w http.ResponseWriter, r *http.Request) {
		httplog.SetAttrs(r.Context(), slog.String("note", r.PathValue("id")))
		sayValue("id")(w, r)
	})
	s.mux.GET("/panic", func(http.ResponseWriter, *http.Request) { panic("gone") })
	s.start(s)
	s.get("200 7", "/notes/7")
	s.get("500", "/panic")
	s.finish()
	s.contains("the log", out.String(), `"note":"7"`, "=> HTTP 200", "=> HTTP 500", "panic: gone")
}

func runHTTPRate(s *site) {
	api := s.mux.Group("/api")
	api.Use(httprate.LimitByIP(2, time.Hour))
	api.GET("/notes/:id", sayValue("id"))
	s.mux.With(httprate.LimitBy(1, time.Hour, func(r *http.Request) (string, error) { return r.PathValue("tenant"), nil })).GET("/t/:tenant", sayValue("tenant"))
	s.start(s)
	s.get("200 1", "/api/notes/1")
	s.get("404 ...", "/api/none") // counts too
	s.get("429 Too Many Requests", "/api/notes/1")
	s.get("200 acme", "/t/acme")
	s.get("429 Too Many Requests", "/t/acme")
	s.get("200 other", "/t/other")
}

func runJWTAuth(s *site) {
	auth := jwtauth.New("HS256", []byte("a secret of thirty-two bytes, say"), nil)
	_, token, err := auth.Encode(map[string]any{"user": "gopher"})
	s.must(err)
	api := s.mux.Group("/api")
	api.Use(jwtauth.Verifier(auth), jwtauth.Authenticator(auth))
	api.GET("/notes/:id", func(w http.ResponseWriter, r *http.Request) {
		_, claims, err := jwtauth.FromContext(r.Context())
		fmt.Fprint(w, r.PathValue("id"), " ", claims["user"], " ", err)
	})
	s.start(s)
	s.get("401 ...", "/api/notes/7")
	s.get("401 ...", "/api/none")
	s.get("401 ...", "/api/notes/7", "Authorization: Bearer "+token+"x")
	s.get("200 7 gopher <nil>", "/api/notes/7", "Authorization: Bearer "+token)
	s.get("404 ...", "/api/none", "Authorization: Bearer "+token)
}
