package muxmaster_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/client"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// These examples run the recipes of docs/recipes.md that have logic of their own.

type ticket struct{ Seats int }

func (t ticket) Validate() error {
	if t.Seats < 1 {
		return &problem.Error{Detail: "A ticket needs at least one seat."}
	}
	return nil
}

// Typed values of the path, the query and the body.
func Example_input() {
	book := func(w http.ResponseWriter, r *http.Request) error {
		show, err := muxmaster.PathParamAs[int](r, "show")
		if err != nil {
			return err
		}
		dry, err := muxmaster.QueryOr(r, "dry", false)
		if err != nil {
			return err
		}
		t, err := body.ReadJSON[ticket](w, r, 64<<10, body.Strict)
		if err != nil {
			return err
		}
		return body.WriteJSON(w, http.StatusCreated, map[string]any{"show": show, "seats": t.Seats, "dry": dry})
	}
	mux := muxmaster.New()
	mux.Pre(problem.With(problem.JSON))
	mux.POST("/shows/:show/tickets", problem.Handler(book))
	for _, c := range []struct{ target, text string }{
		{"/shows/7/tickets?dry=true", `{"seats":2}`},
		{"/shows/x/tickets", `{"seats":2}`},
		{"/shows/7/tickets?dry=maybe", `{"seats":2}`},
		{"/shows/7/tickets", `{"seat":2}`},
		{"/shows/7/tickets", `{"seats":0}`},
	} {
		r := httptest.NewRequest("POST", c.target, strings.NewReader(c.text))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// {"dry":true,"seats":2,"show":7}
	// {"title":"Bad Request","status":400,"detail":"The path parameter \"show\" is not valid."}
	// {"title":"Bad Request","status":400,"detail":"The query parameter \"dry\" is not valid."}
	// {"title":"Bad Request","status":400,"detail":"The request body is not the expected JSON: the field \"seat\" is unknown."}
	// {"title":"Unprocessable Entity","status":422,"detail":"A ticket needs at least one seat."}
}

// These examples run the recipes of docs/recipes.md for servers and clients.

// serve runs s on a free port. The result of stop is that of Serve.
func serve(s *server.Server) (addr string, stop func() error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s.Log = slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	return ln.Addr().String(), func() error { cancel(); return <-done }
}

// A journal is a list of events that grows.
type journal struct {
	mu     sync.Mutex
	events []string
	more   chan struct{} // closed by the next publish
}

func newJournal() *journal { return &journal{more: make(chan struct{})} }

func (j *journal) publish(event string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, event)
	close(j.more)
	j.more = make(chan struct{})
}

// after returns the events after the first n, and a channel that is closed when
// there are more.
func (j *journal) after(n int) ([]string, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.events[min(max(n, 0), len(j.events)):], j.more
}

func (j *journal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	heartbeat := time.NewTicker(15 * time.Second)
	defer heartbeat.Stop()
	id, _ := strconv.Atoi(r.Header.Get("Last-Event-ID")) // 0 in the first request
	io.WriteString(w, ": connected\n\n")                 // gzhttp ignores a Flush before the first Write
	for {
		events, more := j.after(id)
		for _, e := range events {
			id++
			fmt.Fprintf(w, "id: %d\ndata: %s\n\n", id, e) // one line, for example JSON
		}
		if err := rc.Flush(); err != nil {
			return
		}
		select {
		case <-more:
		case <-heartbeat.C:
			io.WriteString(w, ": heartbeat\n\n") // proxies close silent connections
		case <-server.Draining(r.Context()):
			return // the client reconnects, to another process
		case <-r.Context().Done():
			return
		}
	}
}

// An event stream that a client can continue, and that ends when the server
// stops.
func Example_eventStream() {
	events := newJournal()
	mux := muxmaster.New()
	mux.Method("GET", "/events", events)
	addr, stop := serve(server.New("", mux))

	follow := func(last string) *bufio.Scanner {
		req, _ := http.NewRequest("GET", "http://"+addr+"/events", nil)
		req.Header.Set("Last-Event-ID", last)
		resp, err := client.Shared().Do(req)
		if err != nil {
			panic(err)
		}
		return bufio.NewScanner(resp.Body)
	}
	next := func(lines *bufio.Scanner) {
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "data") {
		}
		fmt.Println(lines.Text())
	}
	first := follow("")
	events.publish("one")
	next(first)
	events.publish("two")
	next(follow("1")) // the client was disconnected after the first event
	fmt.Println("stopped:", stop())
	// Output:
	// data: one
	// data: two
	// stopped: <nil>
}

// toHTTPS redirects to the same path on host. The host of a request can't be
// trusted, nor can a request target such as "x:@evil.example/".
func toHTTPS(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
	})
}

// Redirect HTTP to HTTPS.
func Example_redirectToHTTPS() {
	addr, stop := serve(server.New(":80", toHTTPS("example.com")))
	defer stop()
	for _, target := range []string{"/a%2Fb?c=d", "//evil.example/x", "x:@evil.example/", "http://evil.example/x", "*"} {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: evil.example\r\n\r\n", target)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(resp.StatusCode, resp.Header.Get("Location"))
		c.Close()
	}
	// Output:
	// 308 https://example.com/a%2Fb?c=d
	// 308 https://example.com//evil.example/x
	// 308 https://example.com
	// 308 https://example.com/x
	// 308 https://example.com/*
}

// runAll runs servers until the process receives a signal, or one of them fails,
// and then drains all of them.
func runAll(ctx context.Context, servers ...*server.Server) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(servers))
	var running sync.WaitGroup
	for i, s := range servers {
		running.Go(func() {
			defer cancel()
			errs[i] = s.Run(ctx)
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// Two listeners: one for the public, and one for administrators.
func Example_twoListeners() {
	public, admin := muxmaster.New(), muxmaster.New()
	public.GET("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello") })
	admin.GET("/routes", func(w http.ResponseWriter, r *http.Request) {
		for route := range public.Routes() {
			fmt.Fprintln(w, route.Pattern)
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	servers := []*server.Server{server.New("127.0.0.1:0", public), server.New("127.0.0.1:0", admin)}
	logged := make(chan string, 20)
	for _, s := range servers {
		s.Log = slog.New(slog.NewTextHandler(lines(logged), nil))
	}
	done := make(chan error, 1)
	go func() { done <- runAll(ctx, servers...) }()
	for range servers {
		for line := range logged {
			if strings.Contains(line, "msg=serving") {
				break
			}
		}
	}
	cancel()
	fmt.Println(<-done)
	show(public, "GET", "/", "")
	show(admin, "GET", "/routes", "")

	servers[1] = server.New("no such host:0", admin) // the other one ends too
	servers[0] = server.New("127.0.0.1:0", public)
	servers[0].Log = slog.New(slog.DiscardHandler)
	fmt.Println(runAll(context.Background(), servers...) != nil)
	// Output:
	// <nil>
	// 200 hello
	// 200 /
	// true
}

// lines receives the lines of a log.
type lines chan string

func (l lines) Write(p []byte) (int, error) { l <- string(p); return len(p), nil }

// requireCertificates makes s accept only clients with a certificate of ca.
func requireCertificates(s *server.Server, ca *x509.CertPool) {
	s.HTTP.TLSConfig = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca}
}

// Mutual TLS: the handler knows the client by its certificate.
func Example_mutualTLS() {
	dir, err := os.MkdirTemp("", "tls")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ca, certFile, keyFile, alice := certificates(dir)

	s := server.New("", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello ", r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	s.CertFile, s.KeyFile = certFile, keyFile
	requireCertificates(s, ca)
	addr, stop := serve(s)
	defer stop()

	for _, certs := range [][]tls.Certificate{{alice}, nil} {
		c := client.New(client.Options{Attempts: 1, TLS: &tls.Config{RootCAs: ca, Certificates: certs}})
		resp, err := c.Get("https://" + addr)
		if err != nil {
			fmt.Println("refused")
			continue
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(string(text))
		c.CloseIdleConnections()
	}
	// Output:
	// hello alice
	// refused
}

// certificates creates a certificate authority, files with the certificate of a
// server, and the certificate of a client.
func certificates(dir string) (ca *x509.CertPool, certFile, keyFile string, client tls.Certificate) {
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	authorityKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	issue := func(tmpl *x509.Certificate) (cert, key []byte) {
		private := authorityKey
		if tmpl != authority {
			private, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		}
		der, err := x509.CreateCertificate(rand.Reader, tmpl, authority, &private.PublicKey, authorityKey)
		if err != nil {
			panic(err)
		}
		keyDER, _ := x509.MarshalPKCS8PrivateKey(private)
		return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	}
	caPEM, _ := issue(authority)
	ca = x509.NewCertPool()
	ca.AppendCertsFromPEM(caPEM)
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, key := issue(&x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	if err := errors.Join(os.WriteFile(certFile, cert, 0o600), os.WriteFile(keyFile, key, 0o600)); err != nil {
		panic(err)
	}
	cert, key = issue(&x509.Certificate{SerialNumber: big.NewInt(3), NotAfter: time.Now().Add(time.Hour), Subject: pkix.Name{CommonName: "alice"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	client, err := tls.X509KeyPair(cert, key)
	if err != nil {
		panic(err)
	}
	return ca, certFile, keyFile, client
}

// list responds with a page of the sorted names, and with a link to the next
// page. The cursor is the last name of a page, so inserting and removing names
// between two requests skips and repeats nothing else.
func list(names []string) http.HandlerFunc {
	return problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		after, err := base64.RawURLEncoding.DecodeString(r.URL.Query().Get("after"))
		if err != nil {
			return problem.Code(http.StatusBadRequest)
		}
		const size = 2
		start, found := slices.BinarySearch(names, string(after))
		if found {
			start++
		}
		page := names[start:min(start+size, len(names))]
		if start+size < len(names) {
			next := base64.RawURLEncoding.EncodeToString([]byte(page[size-1]))
			w.Header().Set("Link", fmt.Sprintf(`<%s?after=%s>; rel="next"`, r.URL.EscapedPath(), next))
		}
		return body.WriteJSON(w, http.StatusOK, page)
	})
}

// Cursor pagination.
func Example_pagination() {
	mux := muxmaster.New()
	mux.GET("/users", list([]string{"ada", "bob", "eve"}))
	for target := "/users"; target != ""; {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		link := w.Header().Get("Link")
		fmt.Println(strings.TrimSpace(w.Body.String() + " " + link))
		target, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">")
	}
	show(mux, "GET", "/users?after=!", "")
	// Output:
	// ["ada","bob"] </users?after=Ym9i>; rel="next"
	// ["eve"]
	// 400 Bad Request
}

// A page is a text that several people edit.
type page struct {
	mu      sync.Mutex
	version int // increases with each edit
	text    string
}

// show sends the text with its version. If the client has it already, the
// response is 304.
func (p *page) show(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	version, text := p.version, p.text
	p.mu.Unlock() // before writing to a client that may be slow
	w.Header().Set("ETag", etag(version))
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
}

// edit replaces the text, unless somebody else has since the client read it.
func (p *page) edit(w http.ResponseWriter, r *http.Request) error {
	return body.WithBody(w, r, 64<<10, func(text []byte) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch r.Header.Get("If-Match") {
		case etag(p.version):
		case "":
			return &problem.Error{Status: http.StatusPreconditionRequired, Detail: "Send the ETag of the text that you changed as If-Match."}
		default:
			return &problem.Error{Status: http.StatusPreconditionFailed, Detail: "Somebody else has changed the text. Read it again."}
		}
		p.version, p.text = p.version+1, string(text)
		w.Header().Set("ETag", etag(p.version))
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

func etag(version int) string { return strconv.Quote(strconv.Itoa(version)) }

// Lost updates: a change names the version that it started from.
func Example_lostUpdates() {
	p := &page{version: 1, text: "one"}
	mux := muxmaster.New()
	mux.GET("/text", p.show)
	mux.PUT("/text", problem.Handler(p.edit))
	for _, c := range []struct{ method, header, value, text string }{
		{"GET", "", "", ""},
		{"GET", "If-None-Match", `"1"`, ""},
		{"PUT", "", "", "two"},
		{"PUT", "If-Match", `"1"`, "two"},
		{"PUT", "If-Match", `"1"`, "by somebody else"},
		{"GET", "", "", ""},
	} {
		r := httptest.NewRequest(c.method, "/text", strings.NewReader(c.text))
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(strings.TrimSpace(fmt.Sprintln(w.Code, w.Body, w.Header().Get("ETag"))))
	}
	// Output:
	// 200 one "1"
	// 304  "1"
	// 428 Precondition Required
	// 204  "2"
	// 412 Precondition Failed
	// 200 two "2"
}

// A withHeader sets a header of each request to one host. It isn't sent to the
// hosts that redirects lead to, which matters for secrets.
type withHeader struct {
	next             http.RoundTripper
	host, key, value string
}

func (t withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == t.host {
		r = r.Clone(r.Context()) // a RoundTripper must not change the request
		r.Header.Set(t.key, t.value)
	}
	return t.next.RoundTrip(r)
}

// A header on every request of a client.
func Example_clientHeader() {
	mux := muxmaster.New()
	mux.GET("/token", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%q", r.Header.Get("Authorization")) })
	api, other := httptest.NewServer(mux), httptest.NewServer(mux)
	defer api.Close()
	defer other.Close()
	mux.Method("GET", "/away", http.RedirectHandler(other.URL+"/token", http.StatusFound))

	c := client.New(client.Options{})
	c.Transport = withHeader{c.Transport, strings.TrimPrefix(api.URL, "http://"), "Authorization", "Bearer secret"}
	for _, path := range []string{"/token", "/away"} {
		resp, err := c.Get(api.URL + path)
		if err != nil {
			panic(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(path, string(text))
	}
	// Output:
	// /token "Bearer secret"
	// /away ""
}

// These examples run the recipes of docs/recipes.md that use annotations.

// A scopes annotation lists what a login must be allowed to do.
type scopes []string

type needsKey struct{}

// authorize checks the login of each request, and the scopes of its route. A
// route without the annotation is forbidden.
func authorize(mux *muxmaster.Mux, login func(*http.Request) (scopes, bool)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			has, ok := login(r)
			if !ok {
				w.Header().Set("WWW-Authenticate", "Bearer")
				problem.Write(w, r, problem.Code(http.StatusUnauthorized))
				return
			}
			if route, found := mux.Lookup(r); found { // else the response is a 404, 405, redirect or OPTIONS
				needs, annotated := route.Value(needsKey{}).(scopes)
				lacks := func(s string) bool { return !slices.Contains(has, s) }
				if !annotated || slices.ContainsFunc(needs, lacks) {
					problem.Write(w, r, problem.Code(http.StatusForbidden))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// The scopes of a login, read from the route.
func Example_scopes() {
	mux := muxmaster.New()
	mux.Use(authorize(mux, func(r *http.Request) (scopes, bool) { // a token of this example is its scopes
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		return strings.Fields(token), ok
	}))
	ok := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") }
	mux.Annotate(needsKey{}, scopes{}).GET("/me", ok) // any login
	orders := mux.Annotate(needsKey{}, scopes{"orders.read"}).Group("/orders")
	orders.GET("/:id", ok)
	orders.Annotate(needsKey{}, scopes{"orders.read", "orders.write"}).PUT("/:id", ok)
	mux.GET("/forgotten", ok)

	for _, c := range []struct{ method, target, token string }{
		{"GET", "/me", "Bearer x"},
		{"GET", "/me", ""},
		{"GET", "/orders/7", "Bearer orders.read"},
		{"HEAD", "/orders/7", "Bearer orders.write"},
		{"PUT", "/orders/7", "Bearer orders.read"},
		{"PUT", "/orders/7", "Bearer orders.read orders.write"},
		{"GET", "/forgotten", "Bearer orders.read"},
		{"GET", "/nothing", "Bearer x"},
		{"GET", "/nothing", ""},
		{"POST", "/orders/7", "Bearer x"},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Header.Set("Authorization", c.token)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Printf("%s %s as %q: %d\n", c.method, c.target, c.token, w.Code)
	}
	// Output:
	// GET /me as "Bearer x": 200
	// GET /me as "": 401
	// GET /orders/7 as "Bearer orders.read": 200
	// HEAD /orders/7 as "Bearer orders.write": 403
	// PUT /orders/7 as "Bearer orders.read": 403
	// PUT /orders/7 as "Bearer orders.read orders.write": 200
	// GET /forgotten as "Bearer orders.read": 403
	// GET /nothing as "Bearer x": 404
	// GET /nothing as "": 401
	// POST /orders/7 as "Bearer x": 405
}

// A limit annotation is the number of requests that a route serves per second,
// from all clients, and how many of them may come at once.
type limit struct {
	rate  float64
	burst int
}

type limitKey struct{}

// A bucket holds the requests that may come now.
type bucket struct {
	mu     sync.Mutex
	tokens float64
	filled time.Time
}

func (b *bucket) take(l limit, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.filled.IsZero() {
		b.tokens = float64(l.burst)
	} else {
		b.tokens = min(float64(l.burst), b.tokens+now.Sub(b.filled).Seconds()*l.rate)
	}
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// limited refuses requests beyond the limits of their routes.
func limited(mux *muxmaster.Mux, now func() time.Time) func(http.Handler) http.Handler {
	var buckets sync.Map // by method and pattern of the route, so there are never more than routes
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			route, _ := mux.Lookup(r)
			if l, ok := route.Value(limitKey{}).(limit); ok {
				b, _ := buckets.LoadOrStore(route.Method+" "+route.Host+route.Pattern, new(bucket))
				if !b.(*bucket).take(l, now()) {
					w.Header().Set("Retry-After", strconv.Itoa(max(1, int(1/l.rate+0.999))))
					problem.Write(w, r, problem.Code(http.StatusTooManyRequests))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Rate limits, read from the route.
func Example_limits() {
	now := time.Now()
	mux := muxmaster.New()
	mux.Use(limited(mux, func() time.Time { return now }))
	ok := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") }
	mux.Annotate(limitKey{}, limit{rate: 0.5, burst: 2}).POST("/reports/:id", ok)
	mux.GET("/reports/:id", ok)

	for _, c := range []struct {
		method, target string
		after          time.Duration
	}{
		{"POST", "/reports/1", 0}, {"POST", "/reports/2", 0}, {"POST", "/reports/3", 0}, {"GET", "/reports/3", 0},
		{"POST", "/reports/3", 2 * time.Second}, {"POST", "/reports/3", time.Second},
	} {
		now = now.Add(c.after)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(c.method, c.target, nil))
		fmt.Printf("%s %s: %d %s.\n", c.method, c.target, w.Code, w.Header().Get("Retry-After"))
	}
	// Output:
	// POST /reports/1: 200 .
	// POST /reports/2: 200 .
	// POST /reports/3: 429 2.
	// GET /reports/3: 200 .
	// POST /reports/3: 200 .
	// POST /reports/3: 429 2.
}
