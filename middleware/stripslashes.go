package middleware

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/internal/wirepath"
)

// StripSlashes removes trailing slashes from the request's path, so that
// /users/ is served as /users without a redirect. The path "/" and escaped
// slashes remain unchanged. As with [CleanPath], it must run before routing, its
// handlers have a method RunsBeforeRouting, middleware that checks r.URL.Path
// must run inside of it, and it modifies r.URL in place.
//
// If a route ends in a slash, such as /docs/ or a directory of a file server,
// most routers redirect /docs to /docs/. That would cause a redirect loop. So
// if the response is a redirect (301, 307 or 308) to the requested URL,
// StripSlashes discards it and serves the request again with the original path.
// Inner middleware then runs twice. If the router doesn't redirect, routes that
// end in a slash are unreachable.
func StripSlashes(next http.Handler) http.Handler { return &stripSlashesHandler{next: next} }

type stripSlashesHandler struct {
	next http.Handler
	beforeRouting
}

func (h *stripSlashesHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := r.URL.Path
	if len(p) < 2 || p[len(p)-1] != '/' || p[0] != '/' || r.Method == http.MethodConnect {
		h.next.ServeHTTP(w, r)
		return
	}
	before := *r.URL
	wirepath.Set(r.URL, withoutSlashes(wirePath(r.URL)))
	if r.URL.Path == before.Path { // the trailing slash is escaped
		h.next.ServeHTTP(w, r)
		return
	}
	w, rec := recorder.Wrap(w)
	loop := &redirectLoop{w: w, r: r, url: before, pattern: r.Pattern}
	if h := w.Header(); len(h) > 0 {
		loop.header = h.Clone()
	}
	if r.Body != nil && r.Body != http.NoBody {
		setContext(r, context.WithValue(r.Context(), loopKey{}, loop)) // not restored, as in RequestID
	}
	if loop.rejects(h.next, rec) {
		h.next.ServeHTTP(w, r)
	}
}

// withoutSlashes returns p, which starts with a slash, without its trailing
// slashes.
func withoutSlashes(p string) string {
	end := len(p)
	for end > 1 && p[end-1] == '/' {
		end--
	}
	return p[:end]
}

// A redirectLoop detects a redirect to the requested URL. It stores the
// original state of the request and response, to serve the request again.
type redirectLoop struct {
	w       http.ResponseWriter
	r       *http.Request
	url     url.URL // the original URL
	header  http.Header
	pattern string
	body    []byte // what IdempotencyKey has read
}

// loopKey is the context key of a redirectLoop, for requests with a body.
type loopKey struct{}

// rejects calls next and reports whether its response was discarded. Then the
// request can be served again, and if next panics, another response can be sent.
func (l *redirectLoop) rejects(next http.Handler, rec *recorder.Recorder) (rejected bool) {
	rec.SetJudge(l)
	defer func() {
		rec.SetJudge(nil)
		if rejected = rec.TakeBack(); rejected {
			l.restore()
		}
	}()
	next.ServeHTTP(l.w, l.r)
	return
}

// TurnDown reports whether the response is a redirect to the requested URL.
func (l *redirectLoop) TurnDown(code int) bool {
	switch code {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return false // 302 and 303 may be the result of a handler's action
	}
	header := l.w.Header()
	// With a new cookie, the same URL may have another response.
	if len(header["Set-Cookie"]) > len(l.header["Set-Cookie"]) {
		return false
	}
	to, err := url.Parse(header.Get("Location"))
	if err != nil || to.Scheme != "" || to.Host != "" {
		return false
	}
	var stripped url.URL
	wirepath.Set(&stripped, withoutSlashes(wirePath(&l.url)))
	to = stripped.ResolveReference(to)
	return to.Path == l.url.Path && to.RawQuery == l.url.RawQuery && strings.EqualFold(loggedPath(to), loggedPath(&l.url))
}

// restore resets the request and the response header to the original state.
func (l *redirectLoop) restore() {
	header := l.w.Header()
	clear(header)
	maps.Copy(header, l.header)
	l.r.URL.Path, l.r.URL.RawPath = l.url.Path, l.url.RawPath
	l.r.Pattern = l.pattern
	if l.body != nil {
		l.r.Body = io.NopCloser(bytes.NewReader(l.body))
	}
}
