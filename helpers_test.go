package muxmaster_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// request returns the request that net/http's server makes of a request line.
func request(t testing.TB, method, target string) *http.Request {
	t.Helper()
	return requestTo(t, "example.com", method, target)
}

func requestTo(t testing.TB, host, method, target string) *http.Request {
	t.Helper()
	r, err := readRequest(host, method, target)
	if err != nil {
		t.Fatalf("%s %q: %v", method, target, err)
	}
	return r
}

func readRequest(host, method, target string) (*http.Request, error) {
	return http.ReadRequest(bufio.NewReader(strings.NewReader(
		method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")))
}

// discard is a ResponseWriter that keeps only the header. It allocates nothing.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header               { return d.h }
func (d *discard) Write(p []byte) (int, error)       { return len(p), nil }
func (d *discard) WriteString(s string) (int, error) { return len(s), nil }
func (d *discard) WriteHeader(int)                   {}

// An answer holds the parts of a response that tests compare.
type answer struct {
	status   int
	location string
	allow    string
	body     string
}

func ask(h http.Handler, r *http.Request) answer {
	return answerOf(record(h, r))
}

func record(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func answerOf(w *httptest.ResponseRecorder) answer {
	return answer{w.Code, w.Header().Get("Location"), w.Header().Get("Allow"), w.Body.String()}
}

// brief returns a short form of a response: the body of a 200, the status and
// Location of a redirect, otherwise the status and Allow.
func (a answer) brief() string {
	switch {
	case a.status == 200:
		return a.body
	case a.location != "":
		return fmt.Sprint(a.status, " ", a.location)
	case a.allow != "":
		return fmt.Sprint(a.status, " ", a.allow)
	}
	return fmt.Sprint(a.status)
}

// get returns the brief response to a request.
func get(t testing.TB, h http.Handler, method, target string) string {
	t.Helper()
	return ask(h, request(t, method, target)).brief()
}

// exchanges are requests and the brief responses to them. A request is a target,
// behind the method if that isn't GET, and behind a host if that isn't
// example.com: {"/x", "served"}, {"PUT h.org/x", "405 GET, HEAD, OPTIONS"}.
type exchanges [][2]string

// parts returns the parts of a request of exchanges.
func parts(request string) (method, host, target string) {
	method, target, ok := strings.Cut(request, " ")
	if !ok {
		method, target = "GET", request
	}
	host, i := "example.com", strings.IndexByte(target, '/')
	if i > 0 && !strings.Contains(target, "://") {
		host, target = target[:i], target[i:]
	}
	return method, host, target
}

func send(t testing.TB, h http.Handler, request string) answer {
	t.Helper()
	method, host, target := parts(request)
	return ask(h, requestTo(t, host, method, target))
}

// wants compares responses with those expected. The context is part of the error.
func wants(t testing.TB, h http.Handler, rows exchanges, context ...any) {
	t.Helper()
	for _, row := range rows {
		if got := send(t, h, row[0]).brief(); got != row[1] {
			t.Errorf("%v%s: got %s, want %s", context, row[0], got, row[1])
		}
	}
}

// tell returns a handler that writes a name.
func tell(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, name) }
}

// trace is middleware that writes its name before calling the handler.
func trace(name string) wrapper {
	return wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		fmt.Fprintf(w, "%s ", name)
		next.ServeHTTP(w, r)
	})
}

func traceFast(name string) muxmaster.FastMiddleware {
	return func(next muxmaster.FastHandler) muxmaster.FastHandler {
		return func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
			fmt.Fprintf(w, "%s ", name)
			next(w, r, ps)
		}
	}
}

// values answers with the path values: id="5" name="x". It holds every way of
// reading them against the others.
func values(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, format(r, muxmaster.PathParams(r)))
}

func fastValues(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	if got, want := fmt.Sprint(muxmaster.PathParams(r)), fmt.Sprint(ps); got != want && len(ps) > 0 {
		fmt.Fprintf(w, "PathParams %s but Params %s: ", got, want)
	}
	fmt.Fprint(w, format(r, ps))
}

func format(r *http.Request, ps muxmaster.Params) string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%q", p.Key, p.Value)
		if got := r.PathValue(p.Key); got != p.Value {
			fmt.Fprintf(&b, "(PathValue %q)", got)
		}
		if got := muxmaster.PathParam(r, p.Key); got != p.Value {
			fmt.Fprintf(&b, "(PathParam %q)", got)
		}
		if got := ps.Get(p.Key); got != p.Value {
			fmt.Fprintf(&b, "(Get %q)", got)
		}
		if got, ok := ps.Lookup(p.Key); got != p.Value || !ok {
			fmt.Fprintf(&b, "(Lookup %q)", got)
		}
	}
	return b.String()
}

// panics returns the text that f panics with, "" if it does not.
func panics(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

// refusals are calls that panic, with a part of the text. They register nothing
// but what begins with /ok.
type refusals []struct {
	name string
	do   func(m *muxmaster.Mux)
	want string
}

func (list refusals) test(t *testing.T) {
	t.Helper()
	for _, c := range list {
		m := muxmaster.New()
		if text := panics(func() { c.do(m) }); !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, c.want) {
			t.Errorf("%s: panicked with %q, want muxmaster: and %s", c.name, text, c.want)
		}
		for r := range m.Routes() {
			if !strings.HasPrefix(r.Pattern, "/ok") {
				t.Errorf("%s: registered %v", c.name, r)
			}
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

type wrapper = func(http.Handler) http.Handler

// wrap returns middleware that calls f.
func wrap(f func(w http.ResponseWriter, r *http.Request, next http.Handler)) wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(w, r, next) })
	}
}

// guarded puts middleware around a scope of m, and returns the scope and its
// prefix.
var guarded = map[string]func(m *muxmaster.Mux, mw wrapper) (scope muxmaster.Router, prefix string){
	"Mux": func(m *muxmaster.Mux, mw wrapper) (muxmaster.Router, string) { m.Use(mw); return m, "" },
	"Pre": func(m *muxmaster.Mux, mw wrapper) (muxmaster.Router, string) { m.Pre(mw); return m, "" },
	"Group": func(m *muxmaster.Mux, mw wrapper) (muxmaster.Router, string) {
		g := m.Group("/g")
		g.Use(mw)
		return g, "/g"
	},
	"inner Group": func(m *muxmaster.Mux, mw wrapper) (muxmaster.Router, string) {
		return m.With(mw).Group("/g").Group("/in"), "/g/in"
	},
	"mounted Mux": func(m *muxmaster.Mux, mw wrapper) (muxmaster.Router, string) {
		sub := muxmaster.New()
		sub.Use(mw)
		m.Mount("/s", sub)
		return sub, "/s"
	},
	"Pre of a mounted Mux": func(m *muxmaster.Mux, mw wrapper) (muxmaster.Router, string) {
		sub := muxmaster.New()
		sub.Pre(mw)
		m.Mount("/s", sub)
		return sub, "/s"
	},
	"around a mount": func(m *muxmaster.Mux, mw wrapper) (muxmaster.Router, string) {
		sub := muxmaster.New()
		m.With(mw).Mount("/s", sub)
		return sub, "/s"
	},
}

// needsNesting skips a test of requests within several routers, where path values
// are set with SetPathValue: such a request only knows those of the innermost one.
func needsNesting(t *testing.T) {
	t.Helper()
	if !muxmaster.FastPathValues() {
		t.Skip("path values are set with SetPathValue")
	}
}

// add registers the routes of a list separated by |, each with a handler that
// writes the route's text:
//
//	GET /x            a verb method, for one method or several: GET,POST /x
//	ANY /x            every method
//	Handle PUT h/x    Handle with the rest as its pattern
//	Mount /x          a plain handler mounted at /x
func add(to muxmaster.Router, list string) { addTo(to, list, tell) }

// addValues is add for handlers that write the path values.
func addValues(to muxmaster.Router, list string) {
	addTo(to, list, func(string) http.HandlerFunc { return values })
}

func addTo(to muxmaster.Router, list string, handler func(route string) http.HandlerFunc) {
	for text := range strings.SplitSeq(list, "|") {
		method, path, _ := strings.Cut(text, " ")
		switch method {
		case "":
		case "Handle":
			to.Handle(path, handler(text))
		case "Mount":
			to.Mount(path, handler(text))
		case "ANY":
			to.ANY(path, handler(text))
		default:
			to.Method(method, path, handler(text))
		}
	}
}

// shuffled returns the routes of a list in several orders.
func shuffled(list string) (orders []string) {
	routes := strings.Split(list, "|")
	for seed := range uint64(5) {
		order := slices.Clone(routes)
		rand.New(rand.NewPCG(seed, 11)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		orders = append(orders, strings.Join(order, "|"))
	}
	return orders
}

// agrees holds what Handler and Explain say of requests against the responses.
// They run no middleware, so the Mux must have no Pre middleware.
func agrees(t *testing.T, m *muxmaster.Mux, rows exchanges, context ...any) {
	t.Helper()
	for _, row := range rows {
		method, host, target := parts(row[0])
		served := requestTo(t, host, method, target)
		got := ask(m, served)
		if _, pattern := m.Handler(requestTo(t, host, method, target)); got.status == http.StatusOK && pattern != served.Pattern {
			t.Errorf("%v%s: Handler says %q, served by %q", context, row[0], pattern, served.Pattern)
		}
		url := strings.ReplaceAll(target, "#", "%23") // in a request line it is a byte like others
		if !strings.Contains(url, "://") {
			url = "http://" + host + url
		}
		e := m.Explain(method, url)
		switch {
		case got.status == http.StatusOK && (e.Route == nil || !strings.HasSuffix(served.Pattern, e.Route.Pattern)):
			t.Errorf("%v%s: served by %q, but Explain says\n%v", context, row[0], served.Pattern, e)
		case got.status != http.StatusOK && (e.Route != nil || e.Status != got.status || e.Location != got.location || e.Allow != got.allow):
			t.Errorf("%v%s: answered %s, but Explain says\n%v", context, row[0], got.brief(), e)
		}
	}
}

// routings are lists of routes, see add, with requests to them and the responses.
type routings []struct {
	routes string
	want   exchanges
}

// test registers each list in several orders.
func (list routings) test(t *testing.T) {
	t.Helper()
	for _, c := range list {
		for i, order := range shuffled(c.routes) {
			m := newMux(i%2 == 1)
			add(m, order)
			wants(t, m, c.want, order)
			agrees(t, m, c.want, order)
		}
	}
}
