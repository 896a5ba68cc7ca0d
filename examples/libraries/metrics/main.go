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
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
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
	mux.Pre(middleware.Logger, middleware.Observe(func(r *http.Request, status int, bytes int64, d time.Duration) {
		seconds.WithLabelValues(r.Pattern, strconv.Itoa(status)).Observe(d.Seconds())
	}), middleware.Recoverer)
	mux.Use(otelhttp.NewMiddleware("metrics", otelhttp.WithTracerProvider(traces)))
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "user", r.PathValue("id")) })
	mux.Method("GET", "/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
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
