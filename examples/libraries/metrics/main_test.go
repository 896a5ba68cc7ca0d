package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestByPattern(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	mux := newMux(trace.NewTracerProvider(trace.WithSpanProcessor(spans)))
	for _, target := range []string{"/users/7", "/users/8", "/none"} {
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`http_request_duration_seconds_count{pattern="GET /users/:id",status="200"} 2`,
		`http_request_duration_seconds_count{pattern="",status="404"} 1`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, w.Body)
		}
	}
	if ended := spans.Ended(); len(ended) != 4 || ended[0].Name() != "GET /users/:id" {
		t.Errorf("%d spans, the first is %q", len(ended), ended[0].Name())
	}
}
