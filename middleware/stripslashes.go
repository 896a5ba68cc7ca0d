package middleware

import (
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// StripSlashes removes the slashes at the end of the request's path, so that
// /users/ is served as /users without a redirect. "/" stays, and an encoded
// slash isn't one. As with [CleanPath], it must run before routing, middleware
// that judges by r.URL.Path must run inside of it, and r.URL itself changes.
//
// A route that ends in a slash itself, such as /docs/ or a directory of a file
// server, is answered by most routers with a redirect from /docs to /docs/. The
// client asked for just that, so it would be redirected for ever. StripSlashes
// doesn't send a redirect (301, 307 or 308) that leads back to the URL it was
// asked for. It serves the request once more, with the path as it came.
// Middleware inside of StripSlashes runs twice then. Where the router doesn't
// redirect, a route that ends in a slash can't be reached.
func StripSlashes(next http.Handler) http.Handler { return &stripSlashesHandler{next} }

type stripSlashesHandler struct{ next http.Handler }

func (h *stripSlashesHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := r.URL.Path
	if len(p) < 2 || p[len(p)-1] != '/' || p[0] != '/' || r.Method == http.MethodConnect {
		h.next.ServeHTTP(w, r)
		return
	}
	before := *r.URL
	if before.RawPath == "" {
		r.URL.Path = withoutSlashes(p)
	} else if sent := wirePath(r.URL); sent[0] == '/' && sent[len(sent)-1] == '/' {
		setWirePath(r.URL, withoutSlashes(sent))
	}
	if r.URL.Path == before.Path { // the slash at the end is an encoded one
		h.next.ServeHTTP(w, r)
		return
	}
	w, rec := recorder.Wrap(w)
	loop := &redirectLoop{w: w, r: r, url: before, pattern: r.Pattern}
	if h := w.Header(); len(h) > 0 {
		loop.header = h.Clone()
	}
	rec.SetJudge(loop)
	h.next.ServeHTTP(w, r)
	rec.SetJudge(nil)
	if rec.TakeBack() {
		loop.restore()
		h.next.ServeHTTP(w, r)
	}
}

// withoutSlashes cuts the slashes at the end off a path that starts with one,
// which stays.
func withoutSlashes(p string) string {
	end := len(p)
	for end > 1 && p[end-1] == '/' {
		end--
	}
	return p[:end]
}

// A redirectLoop finds a redirect that leads back to where the client is. It
// has what is needed to serve the request again.
type redirectLoop struct {
	w       http.ResponseWriter
	r       *http.Request
	url     url.URL // as it came
	header  http.Header
	pattern string
}

// TurnDown reports whether an answer is a redirect to the URL that the client
// asked for.
func (l *redirectLoop) TurnDown(code int) bool {
	switch code {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return false // 302 and 303 may follow from what the handler has just done
	}
	header := l.w.Header()
	// With a new cookie, the same URL may be answered in another way.
	if len(header["Set-Cookie"]) > len(l.header["Set-Cookie"]) {
		return false
	}
	to, err := url.Parse(header.Get("Location"))
	if err != nil || to.Scheme != "" || to.Host != "" || to.Opaque != "" || to.Path == "" {
		return false
	}
	stripped := url.URL{Path: withoutSlashes(l.url.Path)}
	if l.url.RawPath != "" {
		setWirePath(&stripped, withoutSlashes(wirePath(&l.url)))
	}
	to = stripped.ResolveReference(to)
	return to.Path == l.url.Path && to.RawQuery == l.url.RawQuery && strings.EqualFold(loggedPath(to), loggedPath(&l.url))
}

// restore undoes what the answer that wasn't sent has set.
func (l *redirectLoop) restore() {
	header := l.w.Header()
	clear(header)
	maps.Copy(header, l.header)
	l.r.URL.Path, l.r.URL.RawPath = l.url.Path, l.url.RawPath
	l.r.Pattern = l.pattern
}
