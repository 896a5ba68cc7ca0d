// Command metrics provides metrics for Prometheus and traces its requests.
//
//	go run ./metrics
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	slog.SetDefault(slog.New(withTraceID{slog.NewTextHandler(os.Stderr, nil)}))
	traces := trace.NewTracerProvider(trace.WithBatcher(logged{}))
	err := server.Run("localhost:8080", newMux(traces))
	traces.Shutdown(context.Background())
	if err != nil {
		log.Fatal("metrics: ", err)
	}
}

func newMux(traces *trace.TracerProvider) *muxmaster.Mux {
	registry := prometheus.NewRegistry()
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "http_request_duration_seconds",
		Help:    "Time from the request's header to the end of the answer.",
		Buckets: prometheus.DefBuckets,
	}, []string{"pattern", "status"})
	registry.MustRegister(seconds)

	mux := muxmaster.New()
	mux.Pre(middleware.Observe(func(r *http.Request, status int, bytes int64, d time.Duration) {
		seconds.WithLabelValues(r.Pattern, strconv.Itoa(status)).Observe(d.Seconds())
	}), middleware.Recoverer)
	mux.Use(otelhttp.NewMiddleware("metrics", otelhttp.WithTracerProvider(traces)), middleware.Logger) // within the span
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "user", r.PathValue("id")) })
	mux.Method("GET", "/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
}

// withTraceID adds the trace ID of the context to log records.
type withTraceID struct{ slog.Handler }

func (h withTraceID) Handle(ctx context.Context, r slog.Record) error {
	if sc := oteltrace.SpanContextFromContext(ctx); sc.IsValid() {
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

// logged is an exporter that writes spans to the log.
type logged struct{}

func (logged) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	for _, s := range spans {
		slog.InfoContext(ctx, "span", "name", s.Name(), "trace", s.SpanContext().TraceID(), "duration", s.EndTime().Sub(s.StartTime()))
	}
	return nil
}

func (logged) Shutdown(context.Context) error { return nil }
