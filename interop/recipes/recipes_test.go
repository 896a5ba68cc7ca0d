// Package recipes runs the recipes of docs/recipes.md that need libraries.
package recipes

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/elnormous/contenttype"
	"github.com/golang-jwt/jwt/v5"
	"github.com/golang-jwt/jwt/v5/request"
	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// Each function above a test is a recipe.

// TestRecipesDocument checks that the document contains the recipes as they are
// here.
func TestRecipesDocument(t *testing.T) {
	var code []byte
	for _, file := range []string{"recipes_test.go", "servers_test.go", "../openapi/types_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, text...)
	}
	doc, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	production, err := os.ReadFile("../../docs/production.md")
	if err != nil {
		t.Fatal(err)
	}
	doc = append(doc, production...)
	blocks := strings.Split(string(doc), "```golang\n")[1:]
	for _, b := range blocks {
		if b, _, _ = strings.Cut(b, "```\n"); !bytes.Contains(code, []byte(b)) {
			t.Errorf("docs/recipes.md or production.md has code that isn't in the tests:\n%s", b)
		}
	}
	if len(blocks) < 7 {
		t.Errorf("%d recipes, want at least 7", len(blocks))
	}
}

// serveRecipe runs s on a free port until the test ends.
func serveRecipe(t *testing.T, s *server.Server) (addr string) {
	t.Helper()
	addr, _ = startRecipe(t, s)
	return addr
}

// startRecipe is serveRecipe with a function that makes s drain.
func startRecipe(t *testing.T, s *server.Server) (addr string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Log = slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String(), cancel
}

// withTraceID adds the trace ID of the context to log records.
type withTraceID struct{ slog.Handler }

func (h withTraceID) Handle(ctx context.Context, r slog.Record) error {
	if sc := trace.SpanContextFromContext(ctx); sc.IsValid() {
		r.AddAttrs(slog.String("trace_id", sc.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h withTraceID) WithAttrs(a []slog.Attr) slog.Handler {
	return withTraceID{h.Handler.WithAttrs(a)}
}
func (h withTraceID) WithGroup(name string) slog.Handler {
	return withTraceID{h.Handler.WithGroup(name)}
}

// traced adds a span and a log record for each request, and logs panics. Logger
// and Recoverer must be inside, so that they see the span's context.
func traced(mux *muxmaster.Mux, logs slog.Handler, opts ...otelhttp.Option) {
	logger := slog.New(withTraceID{logs})
	mux.Use(otelhttp.NewMiddleware("shop", opts...), middleware.LoggerWith(logger), middleware.RecovererWithLogger(logger))
}

func TestTraceIDRecipe(t *testing.T) {
	var logs bytes.Buffer
	spans := tracetest.NewSpanRecorder()
	mux := muxmaster.New()
	traced(mux, slog.NewJSONHandler(&logs, nil), otelhttp.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))))
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux.GET("/panic", func(w http.ResponseWriter, r *http.Request) { panic("x") })
	for _, target := range []string{"/users/7", "/none", "/panic"} {
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
	}
	lines := strings.Split(strings.TrimSpace(logs.String()), "\n")
	panicked := struct{ name, pattern string }{"GET /panic", "GET /panic"}
	for i, want := range []struct{ name, pattern string }{{"GET /users/:id", "GET /users/:id"}, {"GET", ""}, panicked, panicked} { // a route, a 404, a panic, its request
		var line struct {
			Msg, Pattern string
			TraceID      string `json:"trace_id"`
		}
		if err := json.Unmarshal([]byte(lines[i]), &line); err != nil {
			t.Fatal(err)
		}
		span := spans.Ended()[min(i, 2)]
		route := slices.IndexFunc(span.Attributes(), func(a attribute.KeyValue) bool {
			return a.Key == "http.route" && strings.HasSuffix(want.pattern, a.Value.AsString())
		})
		if (route >= 0) != (want.pattern != "") {
			t.Errorf("the span %q has the attributes %v", span.Name(), span.Attributes())
		}
		if line.TraceID != span.SpanContext().TraceID().String() || line.Pattern != want.pattern && line.Msg != "panic" || span.Name() != want.name {
			t.Errorf("logged %s; the span is %q with trace %s", lines[i], span.Name(), span.SpanContext().TraceID())
		}
	}
}

// spans adds a span for each request, with the name and http.route of its route
// from the start, so that samplers and the handler's own spans know them.
func spans(opts ...otelhttp.Option) func(muxmaster.Route, http.Handler) http.Handler {
	return func(route muxmaster.Route, next http.Handler) http.Handler {
		if route.Pattern == "" { // a 404, 405, redirect or OPTIONS
			return otelhttp.NewHandler(next, "unmatched", opts...)
		}
		attrs := trace.WithAttributes(attribute.String("http.route", route.Pattern))
		return otelhttp.NewHandler(next, route.Pattern, append(slices.Clip(opts), otelhttp.WithSpanOptions(attrs))...)
	}
}

// A logShare annotation is the share of a route's successful requests that are
// logged, from 0 to 1.
type logShare float64

type logShareKey struct{}

// accessLog logs failed and slow requests, and a share of the others. Add it
// inside of otelhttp and of middleware.RequestID.
func accessLog(logger *slog.Logger, share logShare, slow time.Duration) func(muxmaster.Route, http.Handler) http.Handler {
	return func(route muxmaster.Route, next http.Handler) http.Handler {
		share := share
		if s, ok := route.Value(logShareKey{}).(logShare); ok {
			share = s
		}
		return middleware.Observe(func(r *http.Request, status int, bytes int64, d time.Duration) {
			level := slog.LevelInfo
			switch {
			case status >= 500:
				level = slog.LevelError
			case d >= slow:
				level = slog.LevelWarn
			case rand.Float64() >= float64(share):
				return
			}
			logger.LogAttrs(r.Context(), level, "request", slog.String("method", route.Method), slog.String("pattern", route.Host+route.Pattern),
				slog.Int("status", status), slog.Int64("bytes", bytes), slog.Duration("duration", d), slog.Float64("share", float64(share)),
				slog.String("request_id", middleware.GetRequestID(r.Context())))
		})(next)
	}
}

// A sampler records the http.route that a span has when it starts.
type sampler struct{ started []string }

func (s *sampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	route := ""
	for _, a := range p.Attributes {
		if a.Key == "http.route" {
			route = a.Value.AsString()
		}
	}
	s.started = append(s.started, p.Name+" "+route)
	return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample}
}

func (s *sampler) Description() string { return "" }

func TestAccessLogRecipe(t *testing.T) {
	t.Run("HTTP/1.1", func(t *testing.T) { testAccessLog(t, (*httptest.Server).Start) })
	t.Run("HTTP/2", func(t *testing.T) { testAccessLog(t, (*httptest.Server).StartTLS) })
}

func testAccessLog(t *testing.T, start func(*httptest.Server)) {
	var logs bytes.Buffer
	seen, ended := new(sampler), tracetest.NewSpanRecorder()
	mux := muxmaster.New()
	mux.Pre(middleware.RequestID)
	mux.UseRoute(spans(otelhttp.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSampler(seen), sdktrace.WithSpanProcessor(ended)))),
		accessLog(slog.New(withTraceID{slog.NewJSONHandler(&logs, nil)}), 1, time.Hour))
	broken := false
	health := func(w http.ResponseWriter, r *http.Request) {
		if broken {
			w.WriteHeader(503)
		}
	}
	mux.Annotate(logShareKey{}, logShare(0)).GET("/healthz", health)
	mux.Host("{tenant}.h.com").GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	srv := httptest.NewUnstartedServer(mux)
	srv.EnableHTTP2 = true
	start(srv)
	var ids []string
	for _, target := range []string{"a.h.com/users/7", "h.com/none", "h.com/healthz", "h.com/healthz"} {
		host, path, _ := strings.Cut(target, "/")
		r, err := http.NewRequest("GET", srv.URL+"/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		ids, broken = append(ids, resp.Header.Get("X-Request-Id")), len(ids) == 2
	}
	srv.Close() // waits for the handlers
	want := []struct {
		span                   int
		level, pattern, method string
		status                 int
	}{{0, "INFO", "{tenant}.h.com/users/:id", "GET", 200}, {1, "INFO", "", "", 404}, {3, "ERROR", "/healthz", "GET", 503}}
	lines := strings.Split(strings.TrimSpace(logs.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines:\n%s", len(lines), &logs)
	}
	for i, c := range want {
		var line struct {
			Level, Pattern, Method string
			Status                 int
			Trace                  string `json:"trace_id"`
			ID                     string `json:"request_id"`
		}
		if err := json.Unmarshal([]byte(lines[i]), &line); err != nil {
			t.Fatal(err)
		}
		if trace := ended.Ended()[c.span].SpanContext().TraceID().String(); line.Level != c.level || line.Pattern != c.pattern || line.Method != c.method ||
			line.Status != c.status || line.Trace != trace || line.ID != ids[c.span] || line.ID == "" {
			t.Errorf("logged %s, want %+v, trace %s, ID %s", lines[i], c, trace, ids[c.span])
		}
	}
	if want := []string{"GET /users/:id /users/:id", "GET ", "GET /healthz /healthz", "GET /healthz /healthz"}; !slices.Equal(seen.started, want) {
		t.Errorf("spans started as %q, want %q", seen.started, want)
	}
}

// metrics observes requests by pattern and status. Both come from the program,
// so clients can't create time series: the method, path and host could be
// anything. Requests without a route share one pattern.
func metrics(registry *prometheus.Registry) func(http.Handler) http.Handler {
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "http_request_duration_seconds", Help: "Time until the handler returned.", Buckets: prometheus.DefBuckets,
	}, []string{"pattern", "status"})
	registry.MustRegister(seconds)
	return middleware.Observe(func(r *http.Request, status int, bytes int64, d time.Duration) {
		seconds.WithLabelValues(r.Pattern, strconv.Itoa(status)).Observe(d.Seconds())
	})
}

func TestMetricsRecipe(t *testing.T) {
	registry := prometheus.NewRegistry()
	mux := muxmaster.New()
	mux.Pre(metrics(registry))
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux.ANY("/any", func(w http.ResponseWriter, r *http.Request) {})
	for i := range 300 {
		for _, target := range []string{"/users/%d", "/users/1?%d", "/none/%d", "/any", "http://host%d/users/1", "/users/1/"} {
			for _, method := range []string{"GET", "POST", fmt.Sprint("M", i)} {
				if strings.Contains(target, "%d") {
					target = fmt.Sprintf(target, i)
				}
				mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, target, nil))
			}
		}
	}
	n, err := testutil.GatherAndCount(registry, "http_request_duration_seconds")
	if err != nil || n == 0 || n > 8 {
		t.Errorf("%d time series, %v; want at most 8", n, err)
	}
}

// serverMetrics registers the statistics of a server. Without the engine or
// Shed, theirs are 0.
func serverMetrics(registry *prometheus.Registry, s *server.Server) {
	add := func(name, help string, gauge bool, value func(server.Stats, engine.Stats) float64) {
		read := func() float64 {
			st := s.Stats()
			if st.Shed == nil {
				st.Shed = new(server.ShedStats)
			}
			if st.Engine == nil {
				return value(st, engine.Stats{})
			}
			return value(st, *st.Engine)
		}
		if gauge {
			registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
		} else {
			registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read))
		}
	}
	add("muxmaster_connections_open", "Open connections.", true, func(s server.Stats, _ engine.Stats) float64 { return float64(s.Open) })
	add("muxmaster_connections_evicted_total", "Connections closed because of MaxConns.", false, func(s server.Stats, _ engine.Stats) float64 { return float64(s.Evicted) })
	add("muxmaster_connections_refused_total", "Connections rejected because of MaxConnsPerIP.", false, func(s server.Stats, _ engine.Stats) float64 { return float64(s.Refused) })
	add("muxmaster_requests_shed_total", "Requests refused by Shed.", false, func(s server.Stats, _ engine.Stats) float64 { return float64(s.Shed.Refused) })
	add("muxmaster_requests_limit", "Requests that may run, or 0.", true, func(s server.Stats, _ engine.Stats) float64 { return float64(s.Shed.Limit) })
	add("muxmaster_engine_requests_total", "Requests served by the engine.", false, func(_ server.Stats, e engine.Stats) float64 { return float64(e.Requests) })
	add("muxmaster_engine_http2_requests_total", "Those over HTTP/2.", false, func(_ server.Stats, e engine.Stats) float64 { return float64(e.HTTP2Requests) })
	add("muxmaster_engine_handed_over_total", "Connections passed to net/http.", false, func(_ server.Stats, e engine.Stats) float64 { return float64(e.HandedOver) })
}

// observeServer registers the statistics of a server with OpenTelemetry.
func observeServer(meter metric.Meter, s *server.Server) error {
	var errs []error
	gauge := func(name, help string) metric.Int64Observable {
		g, err := meter.Int64ObservableGauge(name, metric.WithDescription(help))
		errs = append(errs, err)
		return g
	}
	counter := func(name, help string) metric.Int64Observable {
		c, err := meter.Int64ObservableCounter(name, metric.WithDescription(help))
		errs = append(errs, err)
		return c
	}
	open := gauge("muxmaster.connections.open", "Open connections.")
	evicted := counter("muxmaster.connections.evicted", "Connections closed because of MaxConns.")
	refused := counter("muxmaster.connections.refused", "Connections rejected because of MaxConnsPerIP.")
	shed := counter("muxmaster.requests.shed", "Requests refused by Shed.")
	limit := gauge("muxmaster.requests.limit", "Requests that may run.")
	requests := counter("muxmaster.engine.requests", "Requests served by the engine.")
	http2 := counter("muxmaster.engine.http2.requests", "Those over HTTP/2.")
	handed := counter("muxmaster.engine.handed_over", "Connections passed to net/http.")
	_, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		st := s.Stats()
		o.ObserveInt64(open, int64(st.Open))
		o.ObserveInt64(evicted, st.Evicted)
		o.ObserveInt64(refused, st.Refused)
		if st.Shed != nil {
			o.ObserveInt64(shed, int64(st.Shed.Refused))
			o.ObserveInt64(limit, int64(st.Shed.Limit))
		}
		if st.Engine != nil {
			o.ObserveInt64(requests, int64(st.Engine.Requests))
			o.ObserveInt64(http2, int64(st.Engine.HTTP2Requests))
			o.ObserveInt64(handed, int64(st.Engine.HandedOver))
		}
		return nil
	}, open, evicted, refused, shed, limit, requests, http2, handed)
	return errors.Join(append(errs, err)...)
}

func TestServerMetricsRecipe(t *testing.T) {
	for _, on := range []bool{false, true} {
		registry := prometheus.NewRegistry()
		s := server.New("", http.NotFoundHandler())
		s.Engine = on
		if on {
			s.Shed = new(server.Shed)
		}
		serverMetrics(registry, s)
		reader := sdkmetric.NewManualReader()
		if err := observeServer(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)).Meter("shop"), s); err != nil {
			t.Fatal(err)
		}
		resp, err := http.Get("http://" + serveRecipe(t, s))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body) // so that the client keeps the connection
		resp.Body.Close()
		families, err := registry.Gather()
		got := map[string]float64{}
		for _, f := range families {
			got[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue() + f.GetMetric()[0].GetCounter().GetValue()
		}
		want := map[string]float64{"muxmaster_connections_open": 1, "muxmaster_connections_evicted_total": 0, "muxmaster_connections_refused_total": 0,
			"muxmaster_requests_shed_total": 0, "muxmaster_requests_limit": 0,
			"muxmaster_engine_requests_total": 0, "muxmaster_engine_http2_requests_total": 0, "muxmaster_engine_handed_over_total": 0}
		if on {
			want["muxmaster_engine_requests_total"] = 1
			want["muxmaster_requests_limit"] = float64(s.Stats().Shed.Limit)
		}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("engine: %v: %v, %v, want %v", on, got, err, want)
		}
		if !on { // OpenTelemetry gets no figures then
			maps.DeleteFunc(want, func(name string, _ float64) bool { return !strings.Contains(name, "_connections_") })
		}
		var all metricdata.ResourceMetrics
		err = reader.Collect(t.Context(), &all)
		got = map[string]float64{}
		for _, m := range all.ScopeMetrics[0].Metrics {
			name := strings.ReplaceAll(m.Name, ".", "_") // as the names are in Prometheus
			switch data := m.Data.(type) {
			case metricdata.Gauge[int64]:
				got[name] = float64(data.DataPoints[0].Value)
			case metricdata.Sum[int64]:
				got[name+"_total"] = float64(data.DataPoints[0].Value)
			}
		}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("OpenTelemetry, engine: %v: %v, %v, want %v", on, got, err, want)
		}
	}
}

// compress compresses responses except event streams. An event stream must
// write something, such as a comment, before its first Flush, because gzhttp
// ignores a Flush without content.
func compress() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(gzhttp.ExceptContentTypes([]string{"text/event-stream"}))
}

func TestCompressionRecipe(t *testing.T) {
	wrap, err := compress()
	if err != nil {
		t.Fatal(err)
	}
	mux := muxmaster.New()
	mux.Use(func(h http.Handler) http.Handler { return wrap(h) })
	release := make(chan bool)
	mux.GET("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": connected\n\n")
		http.NewResponseController(w).Flush()
		<-release
	})
	mux.GET("/page", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("<p>text", 1000)) })
	addr := serveRecipe(t, server.New("", mux))
	ask := func(path string) *http.Response {
		req, _ := http.NewRequest("GET", "http://"+addr+path, nil)
		req.Header.Set("Accept-Encoding", "gzip")
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	events := ask("/events")
	defer events.Body.Close()
	line, err := bufio.NewReader(events.Body).ReadString('\n') // the handler still runs
	if line != ": connected\n" || events.Header.Get("Content-Encoding") != "" {
		t.Errorf("events: %q, %v, %v", line, err, events.Header)
	}
	close(release)
	page := ask("/page")
	page.Body.Close()
	if got := page.Header.Get("Content-Encoding"); got != "gzip" {
		t.Errorf("a page has Content-Encoding %q", got)
	}
}

type userKey struct{}

// login lets requests with a valid bearer token pass, and adds its subject to
// the context. Other requests get an error in the server's format, for example
// problem.JSON.
func login(key []byte) func(http.Handler) http.Handler {
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired())
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			claims := new(jwt.RegisteredClaims)
			_, err := request.ParseFromRequest(r, request.BearerExtractor{}, func(*jwt.Token) (any, error) { return key, nil },
				request.WithClaims(claims), request.WithParser(parser))
			if err != nil {
				w.Header().Set("WWW-Authenticate", "Bearer")
				problem.Write(w, r, &problem.Error{Status: http.StatusUnauthorized, Detail: "a valid token is required"})
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, claims.Subject)))
		})
	}
}

func TestLoginRecipe(t *testing.T) {
	key := []byte("secret")
	mux := muxmaster.New()
	mux.Pre(problem.With(problem.JSON))
	api := mux.Group("/api")
	api.Use(login(key))
	api.GET("/me", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Context().Value(userKey{})) })
	sign := func(method jwt.SigningMethod, key any, expires time.Duration) string {
		token, err := jwt.NewWithClaims(method, jwt.RegisteredClaims{Subject: "ada", ExpiresAt: jwt.NewNumericDate(time.Now().Add(expires))}).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return "Bearer " + token
	}
	for _, c := range []struct {
		name, path, authorization string
		status                    int
	}{
		{"valid", "/api/me", sign(jwt.SigningMethodHS256, key, time.Hour), 200},
		{"none", "/api/me", "", 401},
		{"none, and no such route", "/api/none", "", 401},
		{"expired", "/api/me", sign(jwt.SigningMethodHS256, key, -time.Hour), 401},
		{"another key", "/api/me", sign(jwt.SigningMethodHS256, []byte("other"), time.Hour), 401},
		{"another method", "/api/me", sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, time.Hour), 401},
	} {
		r, w := httptest.NewRequest("GET", c.path, nil), httptest.NewRecorder()
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		mux.ServeHTTP(w, r)
		switch {
		case w.Code != c.status:
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		case c.status == 200 && w.Body.String() != "ada":
			t.Errorf("%s: %s", c.name, w.Body)
		case c.status == 401 && (w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("WWW-Authenticate") != "Bearer"):
			t.Errorf("%s: %v", c.name, w.Header())
		}
	}
}

var offered = []contenttype.MediaType{contenttype.NewMediaType("application/json"), contenttype.NewMediaType("text/csv")}

// users responds in the format that the client prefers.
func users(w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Accept") // for caches
	chosen, _, err := contenttype.GetAcceptableMediaType(r, offered)
	if err != nil {
		return problem.Code(http.StatusNotAcceptable)
	}
	if chosen.Subtype == "csv" {
		w.Header().Set("Content-Type", "text/csv")
		_, err := io.WriteString(w, "name\nada\n")
		return err
	}
	return body.WriteJSON(w, http.StatusOK, []string{"ada"})
}

func TestNegotiationRecipe(t *testing.T) {
	mux := muxmaster.New()
	mux.GET("/users", problem.Handler(users))
	for _, c := range []struct {
		accept, contentType string
		status              int
	}{
		{"", "application/json", 200},
		{"text/csv", "text/csv", 200},
		{"application/json;q=0.5, text/*", "text/csv", 200},
		{"*/*", "application/json", 200},
		{"image/png", "text/plain; charset=utf-8", 406},
	} {
		r, w := httptest.NewRequest("GET", "/users", nil), httptest.NewRecorder()
		if c.accept != "" {
			r.Header.Set("Accept", c.accept)
		}
		mux.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Type"); w.Code != c.status || got != c.contentType {
			t.Errorf("Accept %q: %d %s, want %d %s", c.accept, w.Code, got, c.status, c.contentType)
		}
	}
}
