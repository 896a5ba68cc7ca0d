package problem

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
)

// log logs err to the default logger. late means that the response had already
// started.
func log(w http.ResponseWriter, r *http.Request, err error, late bool) {
	code := Status(err)
	level, message := slog.LevelError, "request failed"
	gone := (late || errors.Is(err, context.Canceled)) && r.Context().Err() == context.Canceled // usually, the client has left
	switch {
	case code < 500 && !late:
		level, message = slog.LevelInfo, "request refused"
	case code < 500 || gone:
		level = slog.LevelWarn
	}
	if late {
		message = "request failed after its response had started"
	}
	ctx, sink := r.Context(), slog.Default().Handler()
	if !sink.Enabled(ctx, level) {
		return
	}
	record := slog.NewRecord(time.Now(), level, message, 0) // the source line would always be this one
	record.AddAttrs(
		slog.String("method", printable.Excerpt(r.Method, maxText)),
		slog.String("pattern", r.Pattern),
		slog.Int("status", code))
	if id := requestid.Of(w, r); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	record.AddAttrs(slog.String("error", printable.Excerpt(fmt.Sprint(err), maxText))) // Sprint recovers panics of Error methods
	_ = sink.Handle(ctx, record)                                                       // slog.Logger ignores the error too
}

const maxText = 4 << 10 // maximum length of an error's text in the log, in bytes
