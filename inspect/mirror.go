package inspect

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
)

// MirrorOptions say what a Mirror does. The next version is either Handler or at
// URL.
type MirrorOptions struct {
	// Handler is the next version in this process. What ends the process ends
	// both versions: a panic in a goroutine of the handler, for example.
	Handler http.Handler

	// URL is the address of the next version in another process, such as
	// http://127.0.0.1:8081. A Mirror opens a connection for each request, so
	// that none is sent twice.
	URL string

	// Share is the share of the requests that are mirrored, above 0 and at most 1.
	Share float64

	// Methods are the methods that are mirrored. If nil, they are GET and HEAD.
	// All must be safe (RFC 9110, 9.2.1). Requests with a body are not mirrored.
	Methods []string

	// Concurrency is the maximum number of requests that the next version serves
	// at the same time. If 0, it is 4. 16 times as many can be recorded or wait;
	// others are not mirrored. Each takes up to 150 KB.
	Concurrency int

	// Show holds the names of query parameters and of headers of responses whose
	// values may be kept and shown. All other values may be personal data.
	Show []string
}

// A Mirror also sends a share of the safe requests that a handler has served to
// its next version, and compares the responses as [Compare] does. It counts the
// differences by route.
//
// Clients don't notice: the next version gets a request after the response was
// written, on another goroutine, once, and without its context. It has 10 seconds
// and 8 MB for its response. It gets the header of the request as it came, with
// cookies and Authorization, and Muxmaster-Mirror: 1. So use a Mirror only around
// handlers whose GET requests change nothing, and give the next version a copy of
// the data. Requests with a body, a condition, a range, an upgrade, another method
// in a header, or more than 16 KB of header are not mirrored, and neither are those
// whose client left or whose response takes longer than 10 seconds or is a stream
// of events.
//
// Of a request, a Mirror keeps only the route, and of the response only the
// status, the size, the names of headers, and the values of those that
// restrict what browsers do. Cookies have no values.
type Mirror struct {
	options MirrorOptions
	to      http.Handler
	pending chan struct{} // an element for each request that is recorded, waits or runs
	running chan struct{} // those that run

	mu     sync.Mutex
	report MirrorReport // without Routes
	routes map[string]*mirrored
}

type mirrored struct {
	compared uint64
	found    map[Kind]*MirroredDifference
}

// NewMirror returns a Mirror. It panics if the options are not valid.
func NewMirror(o MirrorOptions) *Mirror {
	if o.Methods == nil {
		o.Methods = []string{http.MethodGet, http.MethodHead}
	}
	for _, method := range o.Methods {
		if !slices.Contains([]string{"GET", "HEAD", "OPTIONS", "QUERY", "PROPFIND", "REPORT", "SEARCH"}, method) {
			panic(fmt.Sprintf("inspect: NewMirror: the method %s may change data; mirror safe methods only", method))
		}
	}
	if !(o.Share > 0 && o.Share <= 1) {
		panic(fmt.Sprintf("inspect: NewMirror: Share is %v; set it above 0, and to at most 1 for all requests", o.Share))
	}
	if o.Concurrency < 0 {
		panic(fmt.Sprintf("inspect: NewMirror: Concurrency is %d; use 0 for 4", o.Concurrency))
	}
	o.Concurrency = cmp.Or(o.Concurrency, 4)
	m := &Mirror{options: o, to: o.Handler, pending: make(chan struct{}, 16*o.Concurrency), running: make(chan struct{}, o.Concurrency), routes: map[string]*mirrored{}}
	if (o.Handler == nil) == (o.URL == "") {
		panic("inspect: NewMirror: set either Handler or URL")
	}
	if o.URL != "" {
		base, err := url.Parse(o.URL)
		if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || strings.Trim(base.Path, "/") != "" {
			panic(fmt.Sprintf("inspect: NewMirror: %q is no URL of a server, such as http://127.0.0.1:8081", o.URL))
		}
		m.to = newRemote(base)
	}
	return m
}

const (
	mirrorHeader   = "Muxmaster-Mirror"
	mirroredHead   = 16 << 10
	mirroredBody   = 8 << 20
	mirroredRoutes = 1000 // others are counted as one
)

// Handler returns a handler that calls next and mirrors its requests. It can wrap
// a whole Mux, or be a middleware of Use for a part of it.
func (m *Mirror) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(m.options.Methods, r.Method) || rand.Float64() >= m.options.Share {
			next.ServeHTTP(w, r)
			return
		}
		if !mirrors(r) {
			m.count(&m.report.Skipped)
			next.ServeHTTP(w, r)
			return
		}
		select {
		case m.pending <- struct{}{}:
			m.serve(w, r, next)
		default:
			m.count(&m.report.Busy)
			next.ServeHTTP(w, r)
		}
	})
}

// unmirrored are headers of requests that a second server answers differently, or
// that make a safe request an unsafe one.
var unmirrored = []string{
	"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range", "Upgrade", "Expect", mirrorHeader,
	"X-Http-Method-Override", "X-Http-Method", "X-Method-Override",
}

// mirrors reports whether a request can be mirrored.
func mirrors(r *http.Request) bool {
	size := len(r.URL.Path) + len(r.URL.RawQuery) + len(r.Host)
	for name, values := range r.Header {
		if slices.Contains(unmirrored, name) {
			return false
		}
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	return size <= mirroredHead && r.ContentLength == 0 && len(r.TransferEncoding) == 0 && r.URL.Path != "" && !r.URL.Query().Has("_method")
}

// serve calls next for a request that has a place in m.pending.
func (m *Mirror) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	seen := newResponseWriter(r.Method, mirroredBody, func() {})
	var over atomic.Bool // the place is free again, or for send
	giveUp := func() {
		if over.CompareAndSwap(false, true) {
			seen.drop()
			m.count(&m.report.Skipped)
			<-m.pending
		}
	}
	defer giveUp() // also if next panics
	defer time.AfterFunc(patience, giveUp).Stop()
	again := copyRequest(r)
	w, rec := recorder.Wrap(w)
	left := false // the client, before it had the response
	if !rec.Watch(&recorder.Watcher{
		Begin: func(status int) {
			left = r.Context().Err() != nil
			seen.begin(w.Header(), status)
			if mediaType(w.Header().Get("Content-Type")) == "text/event-stream" { // it rarely ends
				giveUp()
			}
		},
		Body: func(sent []byte, err error) {
			left = left || err != nil && err != http.ErrBodyNotAllowed && r.Method != http.MethodHead
			seen.Write(sent)
		},
	}) {
		next.ServeHTTP(w, r) // another Mirror watches
		return
	}
	defer rec.Watch(nil)
	next.ServeHTTP(w, r)
	if r.Method != http.MethodHead || rec.Status() == 0 { // over HTTP/2, a client may cancel the rest of a HEAD
		left = left || r.Context().Err() != nil
	}
	if left || rec.Hijacked() {
		return
	}
	if rec.Status() == 0 {
		seen.begin(w.Header(), http.StatusOK)
	}
	old := seen.response()
	old.Pattern, old.respelled = r.Pattern, old.redirects() && respelled(again.URL.Path, old.Location)
	if !old.cut && over.CompareAndSwap(false, true) {
		go m.send(again, old)
	}
}

// copyRequest returns a copy of a request that has nothing of its context, and
// is as it came from the client.
func copyRequest(r *http.Request) *http.Request {
	u := *r.URL
	again := &http.Request{
		Method: r.Method, URL: &u, RequestURI: r.RequestURI, Host: r.Host, Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Header: r.Header.Clone(), Body: http.NoBody, RemoteAddr: r.RemoteAddr, TLS: r.TLS,
	}
	if again.Header == nil {
		again.Header = http.Header{}
	}
	again.Header.Set(mirrorHeader, "1")
	return again
}

// send sends a request to the next version, and compares the response. It frees
// the place in m.pending whatever happens: a handler may end its goroutine.
func (m *Mirror) send(r *http.Request, old Response) {
	compared := false
	defer func() {
		recover() // the service doesn't end for it
		if !compared {
			m.count(&m.report.Failed)
		}
		<-m.pending
	}()
	m.running <- struct{}{}
	defer func() { <-m.running }()
	now := askAtMost(m.to, r, mirroredBody)
	if now.cut || now.failed.error != nil {
		return
	}
	m.add(&Difference{Request: r, Old: old, Now: now})
	compared = true
}

func (m *Mirror) count(n *uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*n++
}

// add compares the responses and counts the result. It keeps nothing that m may not
// show.
func (m *Mirror) add(d *Difference) {
	kind, differs := compare(d.Old, d.Now)
	d.Kind = kind
	route := d.Request.Method + " (no route)"
	if d.Old.Pattern != "" {
		_, text := cutMethods(d.Old.Pattern)
		route = d.Request.Method + " " + text
	}
	found := MirroredDifference{kind: kind, Kind: kind.String(), Last: time.Now(), Query: m.query(d.Request.URL), Old: m.text(d, d.Old), Now: m.text(d, d.Now)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report.Compared++
	at := m.routes[route]
	if at == nil {
		if len(m.routes) >= mirroredRoutes {
			route = "(other routes)"
		}
		if at = m.routes[route]; at == nil {
			at = &mirrored{found: map[Kind]*MirroredDifference{}}
			m.routes[route] = at
		}
	}
	if at.compared++; !differs {
		return
	}
	m.report.Different++
	if before := at.found[kind]; before != nil {
		found.Count = before.Count
	}
	found.Count++
	at.found[kind] = &found
}

// query returns the query parameters that m may show.
func (m *Mirror) query(u *url.URL) string {
	shown := url.Values{}
	for name, values := range u.Query() {
		if slices.Contains(m.options.Show, name) {
			shown[name] = values
		}
	}
	return shorten(shown.Encode())
}

// text returns what differs in one of the responses, as far as m may show it.
func (m *Mirror) text(d *Difference, r Response) string {
	text := fmt.Sprint(r.Status)
	name, _ := otherHeader(d.Old, d.Now)
	switch {
	case r.Panic != "":
		text = "panic"
	case d.Kind == OtherTarget:
		text += " to " + m.shown("Location", r.Location)
	case d.Kind.ofHeader() || d.Kind == OtherError && sameBody(d.Old, d.Now):
		text += " with " + name + ": " + m.shown(name, r.header(name))
	case d.Kind == OtherBody || d.Kind == OtherError:
		text += ", " + count(int(r.Size), "byte")
	}
	if r.Pattern != "" && r.Pattern != d.Old.Pattern {
		text += " by " + r.Pattern
	}
	return shorten(text)
}

// shown returns the value of a header, or "…" if it may be personal.
func (m *Mirror) shown(name, value string) string {
	known := steady[name] == parsed || steady[name] == restricts && name != "Content-Disposition" || name == "Allow" || name == "Content-Type"
	if known || value == "" || value == "(none)" || slices.ContainsFunc(m.options.Show, func(s string) bool { return strings.EqualFold(s, name) }) {
		return cookiePath.ReplaceAllString(value, "Path=/…")
	}
	return "…"
}

var cookiePath = regexp.MustCompile(`Path=/[^;,]+`)

// shorten makes a text safe to show.
func shorten(text string) string { return printable.Replace(fmt.Sprintf("%.200s", text)) }

// A MirrorReport says what a Mirror has found. Each mirrored request is compared or
// failed; the others were not sent.
type MirrorReport struct {
	Compared  uint64          // requests of which the responses were compared
	Different uint64          // requests of which they differ
	Failed    uint64          // requests without a whole response of the next version
	Busy      uint64          // not mirrored, because too many are
	Skipped   uint64          // not mirrored, because they can't be, or their client left
	Pending   int             // being recorded, waiting or running
	Routes    []MirroredRoute // those with the worst differences first
}

// A MirroredRoute is what a Mirror has found for a route of the handler, and for
// a method.
type MirroredRoute struct {
	Route       string // such as GET /users/{id}
	Compared    uint64
	Differences []MirroredDifference // the worst first
}

// A MirroredDifference counts the requests of a route with a kind of difference.
type MirroredDifference struct {
	Kind     string // that of a Difference as text, such as "lost login"
	Count    uint64
	Last     time.Time // of the last one, which the other fields are of
	Query    string    // what Show allows
	Old, Now string    // what differs

	kind Kind
}

// Report returns what m has found so far.
func (m *Mirror) Report() MirrorReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	report := m.report
	report.Pending, report.Routes = len(m.pending), []MirroredRoute{}
	worst := map[string]Kind{}
	for _, route := range slices.Sorted(maps.Keys(m.routes)) {
		at := m.routes[route]
		list := MirroredRoute{Route: printable.Replace(route), Compared: at.compared, Differences: []MirroredDifference{}}
		worst[list.Route] = Kind(len(kindNames))
		for _, kind := range slices.Sorted(maps.Keys(at.found)) {
			worst[list.Route] = min(worst[list.Route], kind)
			list.Differences = append(list.Differences, *at.found[kind])
		}
		report.Routes = append(report.Routes, list)
	}
	slices.SortStableFunc(report.Routes, func(a, b MirroredRoute) int { return cmp.Compare(worst[a.Route], worst[b.Route]) })
	return report
}

// Page is a page with the Report, for the clients of [Handler] or, with networks,
// of [HandlerFor]. mirror.json below it has the same as data.
func (m *Mirror) Page(allow ...netip.Prefix) http.Handler {
	return &mirrorPage{m, newAudience(allow)}
}

// noResponse is the panic of a remote that has no response.
type noResponse struct{ error }

// A remote is a service at an address. It sends each request once.
type remote struct {
	base      *url.URL
	transport http.RoundTripper
}

func newRemote(base *url.URL) *remote {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // on a connection that was idle, a request may be sent twice
	transport.DisableCompression = true
	transport.MaxResponseHeaderBytes = 64 << 10
	transport.Proxy = nil
	return &remote{base, transport}
}

// ServeHTTP sends the request to the service, and its response to w.
func (s *remote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.RequestURI = ""
	r.URL.Scheme, r.URL.Host = s.base.Scheme, s.base.Host
	for _, line := range r.Header["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			r.Header.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding"} { // RFC 9110, 7.6.1
		r.Header.Del(name)
	}
	if r.Header["User-Agent"] == nil {
		r.Header["User-Agent"] = nil // or the transport adds its own
	}
	resp, err := s.transport.RoundTrip(r)
	if err != nil {
		panic(noResponse{err})
	}
	defer resp.Body.Close()
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	if _, err := io.Copy(w, resp.Body); err != nil {
		panic(noResponse{err})
	}
}
