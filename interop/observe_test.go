package interop

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
	"github.com/arl/statsviz"
	"github.com/getsentry/sentry-go"
	sentryhttp "github.com/getsentry/sentry-go/http"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"
	"github.com/rs/zerolog/hlog"
	metricsprom "github.com/slok/go-http-metrics/metrics/prometheus"
	slok "github.com/slok/go-http-metrics/middleware"
	"github.com/slok/go-http-metrics/middleware/std"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

var observeRows = []row{
	{library: "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", name: "otelhttp", tried: "`NewMiddleware` in `Use`: span names, `http.route` of spans and metrics on routes, 404 and 405", run: runOTel},
	{library: "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", name: "otelhttp around the router", tried: "`NewHandler` around the router: reads the pattern from its request after the call", run: runOTelOutside, plain: true},
	{library: "github.com/prometheus/client_golang", name: "Prometheus", tried: "`promhttp` instrumentation in `Use`, and a histogram by pattern through `middleware.Observe`; `/metrics` scraped", run: runPrometheus},
	{library: "github.com/slok/go-http-metrics", name: "go-http-metrics", tried: "handler id from the pattern", glue: "A middleware in `Use` that passes `r.Pattern` as the handler id.", run: runGoHTTPMetrics},
	{library: "github.com/VictoriaMetrics/metrics", name: "VictoriaMetrics/metrics", tried: "a counter by pattern, `WritePrometheus` on a route", run: runVictoriaMetrics},
	{library: "github.com/getsentry/sentry-go", name: "sentry-go", tried: "around the router: a panic and a transaction reported with path and pattern", run: runSentry, plain: true},
	{library: "github.com/rs/zerolog", name: "zerolog/hlog", tried: "`NewHandler`, `AccessHandler`, `RequestIDHandler` in `Use`; the log has the pattern", run: runZerolog},
	{library: "github.com/arl/statsviz", name: "statsviz", tried: "the page and its scripts below `/debug/statsviz/`", glue: "`Register` requires a `*http.ServeMux`: register `Index` and `Ws` instead, in two lines.", run: runStatsviz, plain: true},
}

func runOTel(s *site) {
	spans, reader := tracetest.NewSpanRecorder(), metric.NewManualReader()
	s.mux.Use(otelhttp.NewMiddleware("server",
		otelhttp.WithTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(spans))),
		otelhttp.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader)))))
	s.mux.GET("/users/:id", sayValue("id"))
	s.HandleFunc("POST /files/{path...}", sayValue("path"))
	s.start(s)
	s.get("200 7", "/users/7")
	s.wants("200 a/b", s.ask("POST", "/files/a/b", ""))
	s.get("404 ...", "/none")
	s.wants("405 ...", s.ask("DELETE", "/users/7", ""))
	s.finish()

	var got []string
	for _, span := range spans.Ended() {
		route := ""
		for _, a := range span.Attributes() {
			if a.Key == "http.route" {
				route = a.Value.AsString()
			}
		}
		got = append(got, span.Name()+" ["+route+"]")
	}
	s.equal("spans", strings.Join(got, ", "), "GET /users/:id [/users/:id], POST /files/{path...} [/files/{path...}], GET [], DELETE []")

	var data metricdata.ResourceMetrics
	s.must(reader.Collect(s.Context(), &data))
	text, err := json.Marshal(data)
	s.must(err)
	s.contains("the metrics", string(text), `"/users/:id"`, `"/files/{path...}"`)
}

func runOTelOutside(s *site) {
	spans := tracetest.NewSpanRecorder()
	s.HandleFunc("GET /users/{id}", sayValue("id"))
	s.start(otelhttp.NewHandler(s, "server", otelhttp.WithTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(spans)))))
	s.get("200 7", "/users/7")
	s.finish()
	for _, span := range spans.Ended() {
		s.equal("span", span.Name(), "GET /users/{id}")
	}
	s.equal("spans", len(spans.Ended()), 1)
}

func runPrometheus(s *site) {
	registry := prometheus.NewRegistry()
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests_total"}, []string{"code", "method"})
	byPattern := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "seconds", Buckets: []float64{60}}, []string{"pattern"})
	registry.MustRegister(requests, byPattern)
	s.mux.Pre(middleware.Observe(func(r *http.Request, status int, bytes int64, d time.Duration) {
		byPattern.WithLabelValues(r.Pattern).Observe(d.Seconds())
	}))
	s.mux.Use(func(h http.Handler) http.Handler { return promhttp.InstrumentHandlerCounter(requests, h) })
	s.mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	s.mux.GET("/users/:id", sayValue("id"))
	s.start(s)
	s.get("200 7", "/users/7")
	s.get("200 8", "/users/8")
	s.get("404 ...", "/none")
	s.has(s.get("200 ...", "/metrics", "Accept-Encoding: gzip"), "Content-Encoding", "gzip")
	a := s.get("200 ...", "/metrics")
	s.contains("/metrics", a.body, `requests_total{code="404",method="get"} 1`, `requests_total{code="200",method="get"} 3`, `seconds_bucket{pattern="GET /users/:id",le="60"} 2`)
}

func runGoHTTPMetrics(s *site) {
	registry := prometheus.NewRegistry()
	m := slok.New(slok.Config{Recorder: metricsprom.NewRecorder(metricsprom.Config{Registry: registry})})
	s.mux.Use(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			std.Handler(r.Pattern, m, h).ServeHTTP(w, r)
		})
	})
	s.mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	s.mux.GET("/users/:id", sayValue("id"))
	s.start(s)
	s.get("200 7", "/users/7")
	s.contains("/metrics", s.get("200 ...", "/metrics").body, `http_request_duration_seconds_count{code="200",handler="GET /users/:id",method="GET",service=""} 1`)
}

func runVictoriaMetrics(s *site) {
	set := vm.NewSet()
	s.mux.Use(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r)
			set.GetOrCreateCounter(`requests_total{pattern="` + r.Pattern + `"}`).Inc()
		})
	})
	s.mux.GET("/metrics", func(w http.ResponseWriter, r *http.Request) { set.WritePrometheus(w) })
	s.mux.GET("/users/:id", sayValue("id"))
	s.start(s)
	s.get("200 7", "/users/7")
	s.get("200 8", "/users/8")
	s.contains("/metrics", s.get("200 ...", "/metrics").body, `requests_total{pattern="GET /users/:id"} `)
}

// A sentryTransport stores events instead of sending them.
type sentryTransport struct {
	sentry.Transport
	mu     sync.Mutex
	events []*sentry.Event
}

func (t *sentryTransport) Configure(sentry.ClientOptions) {}
func (t *sentryTransport) Flush(time.Duration) bool       { return true }
func (t *sentryTransport) Close()                         {}
func (t *sentryTransport) SendEvent(e *sentry.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, e)
}

func runSentry(s *site) {
	sent := new(sentryTransport)
	client, err := sentry.NewClient(sentry.ClientOptions{Dsn: "https://key@sentry.invalid/1", Transport: sent, EnableTracing: true, TracesSampleRate: 1})
	s.must(err)
	hub := sentry.NewHub(client, sentry.NewScope())
	s.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == "0" {
			panic(errors.New("no user zero"))
		}
		io.WriteString(w, r.PathValue("id"))
	})
	h := sentryhttp.New(sentryhttp.Options{}).Handle(s)
	s.start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(sentry.SetHubOnContext(r.Context(), hub.Clone())))
	}))
	s.get("200 7", "/users/7")
	s.ask("GET", "/users/0", "")
	s.finish()
	var got []string
	for _, e := range sent.events {
		switch {
		case e.Type == "transaction":
			got = append(got, e.Transaction)
		default:
			got = append(got, e.Exception[0].Value+" at "+e.Request.URL[len(s.url):])
		}
	}
	s.equal("events", strings.Join(got, ", "), "GET /users/{id}, no user zero at /users/0, GET /users/{id}")
}

func runZerolog(s *site) {
	out := new(syncBuffer)
	s.mux.Use(hlog.NewHandler(zerolog.New(out)), hlog.RequestIDHandler("id", "X-Request-ID"),
		hlog.AccessHandler(func(r *http.Request, status, size int, d time.Duration) {
			hlog.FromRequest(r).Info().Str("pattern", r.Pattern).Int("status", status).Int("size", size).Send()
		}))
	s.mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {
		hlog.FromRequest(r).Info().Str("user", r.PathValue("id")).Send()
		sayValue("id")(w, r)
	})
	s.start(s)
	s.get("200 7", "/users/7")
	s.get("404 ...", "/none")
	s.finish()
	s.contains("the log", out.String(), `"user":"7"`, `"pattern":"GET /users/:id","status":200,"size":1`, `"pattern":"","status":404`)
}

func runStatsviz(s *site) {
	viz, err := statsviz.NewServer()
	s.must(err)
	s.HandleFunc("/debug/statsviz/", viz.Index())
	s.HandleFunc("/debug/statsviz/ws", viz.Ws())
	s.start(s)
	page := s.get("200 ...", "/debug/statsviz/")
	script := regexp.MustCompile(`src="(?:\./)?([^"]+\.js)"`).FindStringSubmatch(page.body)
	if script == nil {
		s.Fatalf("the page has no script: %s", page.body)
	}
	s.get("200 ...", "/debug/statsviz/"+script[1])
	s.get("400 Bad Request...", "/debug/statsviz/ws")
	viz.Close()
}
