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

// log writes one record about err to the default logger. late says that the
// response had started before.
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
	record := slog.NewRecord(time.Now(), level, message, 0) // the line would always be this one
	record.AddAttrs(
		slog.String("method", printable(r.Method)),
		slog.String("pattern", r.Pattern),
		slog.Int("status", code))
	if id := requestid.Of(w, r); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	record.AddAttrs(slog.String("error", printable(fmt.Sprint(err)))) // Sprint survives an Error method that panics
	_ = sink.Handle(ctx, record)                                      // as slog.Logger does: there is nobody to tell
}

const maxText = 4 << 10 // bytes of an error's text in the log

// printable returns s cut to maxText, quoted where it holds a character that
// can't be printed: whatever the handler of the logger does with it, it stays
// on one line.
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
