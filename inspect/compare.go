package inspect

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
)

// A Kind says how two responses to a request differ. Smaller values are worse.
type Kind int

const (
	// LostLogin: the old response was 401, 403, a redirect to a login, or one to a
	// spelling of the path with such a response. Now the handler runs, or seems to.
	LostLogin Kind = iota

	// LostProtection: a header that protects is missing or allows more, or a
	// cookie has lost an attribute, in a response without an error.
	LostProtection

	Crash     // a panic or a status from 500, which the old handler didn't have
	LostRoute // the old status was 2xx, and now it is 4xx
	NewRoute  // the old status was 4xx, and now it is 2xx
	NewLogin  // now the response is 401, 403 or a redirect to a login

	// OtherMiddleware, where Diff compares routes: middleware was removed, added
	// or moved.
	OtherMiddleware

	OtherStatus  // another difference of the status
	OtherTarget  // another Location of a redirect
	OtherHandler // another handler, where Diff compares routes
	OtherBody    // another body of a response without an error

	// OtherHeader: another Content-Type or Allow, a header that is missing,
	// another value of one for caches, CORS and the like, or other cookies.
	OtherHeader

	OtherError // another body or header of the same error status
	OtherRoute // the same response of another route, where both are known
)

var kindNames = [...]string{"lost login", "lost protection", "crash", "lost route", "new route", "new login", "middleware", "status", "redirect", "handler", "body", "header", "error text", "route"}

// String returns the kind in lower-case words.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// ofHeader reports whether differences of the kind are in the header.
func (k Kind) ofHeader() bool { return k == OtherHeader || k == LostProtection }

// A Difference is a request to which two handlers respond differently.
type Difference struct {
	Kind     Kind
	Request  *http.Request
	Old, Now Response
}

// String returns the difference as one line:
//
//	lost login: GET /admin/users: 401, now 200 by GET /admin/{page}
func (d Difference) String() string {
	host := ""
	if d.Request.Host != "example.com" {
		host = d.Request.Host
	}
	before, after := "", ""
	old, now := d.text(d.Old), d.text(d.Now)
	if d.ofMiddleware() {
		was, is := d.change()
		if old, now = cmp.Or(chain(was), "none"), cmp.Or(chain(is), "none"); old == now {
			old, now = strings.Join(was, " → "), strings.Join(is, " → ")
		}
	}
	if d.Old.Pattern != "" && d.Old.Pattern != d.Now.Pattern {
		before = " by " + d.Old.Pattern
	}
	if d.Now.Pattern != "" && (d.Now.Pattern != d.Old.Pattern || !d.ofMiddleware()) {
		after = " by " + d.Now.Pattern
	}
	return printable.Replace(fmt.Sprintf("%s: %s %s%s: %s%s, now %s%s", d.Kind, d.Request.Method, host, d.Request.RequestURI,
		old, before, now, after))
}

// ofMiddleware reports whether Diff has found the difference in the middleware.
func (d *Difference) ofMiddleware() bool {
	return (d.Kind == LostLogin || d.Kind == NewLogin || d.Kind == OtherMiddleware) && len(d.Old.Middleware)+len(d.Now.Middleware) > 0
}

// text returns what matters of one of the responses.
func (d Difference) text(r Response) string {
	switch {
	case r.Panic != "":
		return fmt.Sprintf("panic: %.100s", r.Panic)
	case r.Location != "" && !d.Kind.ofHeader() && r.refused != 0:
		return fmt.Sprintf("%d to %s (%d)", r.Status, r.Location, r.refused)
	case r.Location != "" && !d.Kind.ofHeader():
		return fmt.Sprintf("%d to %s", r.Status, r.Location)
	case d.Kind == OtherHandler && sameBody(d.Old, d.Now):
		return r.handler // in another package of the same name
	case d.Kind == OtherHandler:
		return string(r.Body)
	case d.Kind.ofHeader() || d.Kind == OtherError && sameBody(d.Old, d.Now):
		name, _ := otherHeader(d.Old, d.Now)
		return fmt.Sprintf("%d with %s: %.100s", r.Status, name, r.header(name))
	case d.Kind == OtherBody || d.Kind == OtherError:
		return fmt.Sprintf("%d %.60q", r.Status, r.Body)
	}
	return strconv.Itoa(r.Status)
}

// Compare sends each request to both handlers and returns the requests to which
// they respond differently, the worst differences first: lost logins, then
// crashes, lost and new routes, and at last the texts of errors. Among equals,
// the order is that of the requests. The handlers may be any two: another router
// and its replacement, the last release and this one, a proxy to a process.
//
// Compare really calls the handlers, with every method that the requests have.
// Give both a copy of the data, never that of production. Each handler gets a
// copy of its own of each request, one request after the other, with the whole
// body, which Compare reads before and leaves readable. The context of a
// request ends after 10 seconds, or a second after the handler has begun a stream
// of events (text/event-stream). Bodies that both end then are not compared. A
// panic of a handler is a difference, too.
//
// A lost login is only found by requests without a login. To compare what
// logged-in users see, call Compare again with requests that have a login.
func Compare(old, now http.Handler, requests iter.Seq[*http.Request]) []Difference {
	var list []Difference
	for r := range requests {
		keepBody(r)
		d := Difference{Request: r, Old: ask(old, r), Now: ask(now, r)}
		if !d.Now.redirects() {
			d.Old.follow(old, r)
		}
		if kind, differs := compare(d.Old, d.Now); differs {
			d.Kind = kind
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b Difference) int { return cmp.Compare(a.Kind, b.Kind) })
	return list
}

// compare returns the worst difference between two responses.
func compare(old, now Response) (kind Kind, differs bool) {
	switch denied := old.denies() || old.refused != 0; {
	case denied && !now.denies() && now.ran():
		return LostLogin, true
	case old.denies() && now.Status == old.Status && now.Size > old.Size && len(old.Body) > 0 && bytes.HasPrefix(now.Body, old.Body):
		return LostLogin, true // a middleware refuses the client, and calls the handler all the same
	case now.crashed() && !old.crashed():
		return Crash, true
	case !denied && now.denies():
		return NewLogin, true
	case old.succeeded() && now.Status >= 400:
		return LostRoute, true
	case old.Status >= 400 && now.succeeded():
		return NewRoute, true
	}
	failed := old.Status >= 400
	header, lost := otherHeader(old, now)
	switch {
	case lost && !failed && (old.Status == now.Status || old.succeeded() && now.succeeded()):
		return LostProtection, true
	case old.Status != now.Status:
		return OtherStatus, true
	case old.Location != now.Location:
		return OtherTarget, true
	}
	same := sameBody(old, now) || old.redirects()
	switch {
	case !same && !failed:
		return OtherBody, true
	case header != "" && (!failed || header == "Allow" || header == "Www-Authenticate"):
		return OtherHeader, true
	case !same || header != "":
		return OtherError, true
	case otherRoute(old.Pattern, now.Pattern):
		return OtherRoute, true
	}
	return 0, false
}

func sameBody(old, now Response) bool {
	return old.cut && now.cut || old.Size == now.Size && bytes.Equal(old.Body, now.Body) && old.rest == now.rest
}

func (r Response) succeeded() bool { return r.Status >= 200 && r.Status < 300 }
func (r Response) crashed() bool   { return r.Panic != "" || r.Status >= 500 }
func (r Response) redirects() bool { return r.Status >= 300 && r.Status < 400 && r.Location != "" }

// ran reports whether a handler ran, as far as the response shows.
func (r Response) ran() bool {
	switch r.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return false
	}
	return true
}

// denies reports whether the response asks for a login, or refuses the client.
func (r Response) denies() bool {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return true
	case http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect:
		if r.respelled {
			return false // /login/ to /login
		}
		target, _, _ := strings.Cut(strings.ToLower(r.Location), "?")
		return slices.ContainsFunc([]string{"login", "log-in", "signin", "sign-in", "sign_in", "auth", "sso"}, func(word string) bool { return strings.Contains(target, word) })
	}
	return false
}

// mediaType returns a Content-Type without its parameters.
func mediaType(contentType string) string {
	if t, _, err := mime.ParseMediaType(contentType); err == nil {
		return t
	}
	return contentType
}

// otherRoute reports whether two patterns are known and match different paths.
func otherRoute(a, b string) bool {
	return a != "" && b != "" && patternPath(a) != patternPath(b)
}
