package problem

import (
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
)

// log logs err to the default logger. late means that the response had already
// started.
func log(w http.ResponseWriter, r *http.Request, err error, late bool) {
	code := Status(err)
	level, message := slog.LevelError, "request failed"
	if code < 500 {
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
		slog.String("method", printable(r.Method)),
		slog.String("pattern", r.Pattern),
		slog.Int("status", code))
	if id := requestid.Of(w, r); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	record.AddAttrs(slog.String("error", printable(fmt.Sprint(err)))) // Sprint recovers panics of Error methods
	_ = sink.Handle(ctx, record)                                      // slog.Logger ignores the error too
}

const maxText = 4 << 10 // maximum length of an error's text in the log, in bytes

// printable returns s truncated to maxText, and quoted if it contains a
// character that isn't printable, so that it is always a single line.
func printable(s string) string {
	if len(s) > maxText {
		s = s[:maxText] + "..."
	}
	for _, c := range s {
		if c == utf8.RuneError || !unicode.IsGraphic(c) {
			return strconv.Quote(s)
		}
	}
	return s
}
