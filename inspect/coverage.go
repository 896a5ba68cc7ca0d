package inspect

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect/internal/counter"
	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/terminal"
	"github.com/seed-1954dcaa/muxmaster/internal/values"
)

// A Coverage counts the requests of each route: in tests, to find routes that no
// test reaches, and in production, to find those that nobody uses any more. Its
// methods are safe for concurrent use.
type Coverage struct {
	mux   *muxmaster.Mux
	clock counter.Clock
	table atomic.Pointer[counts]
	mu    sync.Mutex // held while making a new table
}

// counts is an index of the counters. It is immutable.
type counts struct {
	routes  []counted
	byText  map[string][]int // indexes in routes, by host and path of the pattern
	unknown int              // number of texts without a route
}

// counted is a route and its counter.
type counted struct {
	route *muxmaster.Route
	set   *counter.Set
	index int // in set
}

// served is a pattern whose route doesn't depend on the method of the request.
type served struct {
	pattern string
	counted
}

// maxUnknown is the number of patterns of other routers that are remembered.
const maxUnknown = 1000

// NewCoverage returns a Coverage of the routes of m. Routes that are registered
// later are counted too.
func NewCoverage(m *muxmaster.Mux) *Coverage {
	if m == nil {
		panic("inspect: NewCoverage: the Mux is nil")
	}
	c := &Coverage{mux: m}
	c.table.Store(c.index(nil))
	return c
}

// Handler returns a handler that counts the requests of next by the pattern of
// the route that served them, and calls next. It is a middleware for m.Use,
// which costs least, and can also wrap a whole Mux. That may be another Mux than
// m with the same routes, as in tests that make one each.
//
// It counts a request when it knows the route: before the handler runs in
// middleware of Use, otherwise afterwards. Responses without a route, such as
// 404 and redirects, are not counted.
func (c *Coverage) Handler(next http.Handler) http.Handler { return &countingHandler{c: c, next: next} }

type countingHandler struct {
	c    *Coverage
	next http.Handler
	last atomic.Pointer[served] // the first that it served; in middleware of Use, it is the only one
}

func (h *countingHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if l := h.last.Load(); l != nil && same(r.Pattern, l.pattern) {
		l.set.Add(l.index)
		h.next.ServeHTTP(w, r)
		return
	}
	h.serveOther(w, r)
}

// same compares patterns by their addresses: the pattern of a route is always the
// same string. It may report false for equal strings.
func same(a, b string) bool { return len(a) == len(b) && values.Same(a, b) }

// serveOther counts r by its pattern, if that is known, or else by the pattern
// that it has afterwards.
func (h *countingHandler) serveOther(w http.ResponseWriter, r *http.Request) {
	if r.Pattern == "" {
		defer h.countAfter(w, r)
	} else if found, always := h.c.find(r); found.set != nil {
		found.set.Add(found.index)
		if always && h.last.Load() == nil {
			h.last.Store(&served{r.Pattern, found})
		}
	} else {
		defer h.countAfter(w, r)
	}
	h.next.ServeHTTP(w, r)
}

// countAfter counts r after a handler has set its pattern. A redirect of the
// router has the pattern of its target, which didn't run.
func (h *countingHandler) countAfter(w http.ResponseWriter, r *http.Request) {
	if r.Pattern == "" {
		return
	}
	if header := w.Header(); len(header) > 0 && header["Location"] != nil {
		before := *r
		before.Pattern = ""
		if _, ok := h.c.mux.Lookup(&before); !ok {
			return
		}
	}
	if found, _ := h.c.find(r); found.set != nil {
		found.set.Add(found.index)
	}
}

// find returns the counter of the route that has served r, by its pattern and
// method. always reports whether it is the one for all methods of the pattern.
// There is no set if there is no route.
func (c *Coverage) find(r *http.Request) (found counted, always bool) {
	t := c.table.Load()
	methods, text := cutMethods(r.Pattern)
	list, known := t.byText[text]
	if !known && t.unknown < maxUnknown {
		t = c.update(text)
		list = t.byText[text]
	}
	best, rank := -1, 0
	for _, i := range list {
		switch m := t.routes[i].route.Method; {
		case m == methods && rank < 4:
			best, rank = i, 4
		case m == r.Method && rank < 3:
			best, rank = i, 3
		case m == http.MethodGet && r.Method == http.MethodHead && rank < 2:
			best, rank = i, 2
		case m == "" && rank < 1:
			best, rank = i, 1
		}
	}
	if best < 0 {
		return counted{}, false
	}
	return t.routes[c.exact(t, list, best, r)], rank == 4
}

// exact returns best, or another index in list of a route with the same text that
// the Mux finds for r, as for GET("/x/", h) and Handle("GET /x/", h).
func (c *Coverage) exact(t *counts, list []int, best int, r *http.Request) int {
	method := t.routes[best].route.Method
	for _, i := range list {
		if i == best || t.routes[i].route.Method != method {
			continue
		}
		if route, ok := c.mux.Lookup(r); ok && keyOf(route) == keyOf(*t.routes[i].route) {
			return i
		}
	}
	return best
}

// cutMethods returns the methods of a pattern, as written, and the rest.
func cutMethods(pattern string) (methods, text string) {
	slash := max(strings.IndexByte(pattern, '/'), 0)
	i := strings.LastIndexAny(pattern[:slash], " \t") + 1
	return strings.TrimRight(pattern[:i], " \t"), pattern[i:]
}

// update returns a new table, in which text is known: as the pattern of a route
// that was registered since, or of another router.
func (c *Coverage) update(text string) *counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.table.Load()
	if _, known := old.byText[text]; known {
		return old
	}
	t := c.index(old)
	if _, known := t.byText[text]; !known {
		t.byText[strings.Clone(text)] = nil
		t.unknown++
	}
	c.table.Store(t)
	return t
}

// index returns a table of the current routes, with the counters that old has.
func (c *Coverage) index(old *counts) *counts {
	t := &counts{byText: map[string][]int{}}
	before := map[key]counted{}
	if old != nil {
		t.unknown = old.unknown
		for text, list := range old.byText {
			if list == nil {
				t.byText[text] = nil
			}
		}
		for _, r := range old.routes {
			before[keyOf(*r.route)] = r
		}
	}
	added := 0
	for r := range c.mux.Routes() {
		found, ok := before[keyOf(r)]
		if !ok {
			found = counted{route: &r, index: added}
			added++
		}
		text := r.Host + r.Pattern
		t.byText[text] = append(t.byText[text], len(t.routes))
		t.routes = append(t.routes, found)
	}
	set := counter.NewSet(added, runtime.GOMAXPROCS(0), &c.clock)
	for i := range t.routes {
		if t.routes[i].set == nil {
			t.routes[i].set = set
		}
	}
	return t
}

// A Use says how often a route was used.
type Use struct {
	Hits uint64
	Last time.Time `json:",omitzero"` // of the last request, to the second; zero without one
}

// A Usage is a route and its use.
type Usage struct {
	muxmaster.Route
	Use
}

// Page is the page of [HandlerFor], or of [Handler] without networks, that also
// shows how often each route was used, and when last. coverage.json below it has
// the result of Routes.
func (c *Coverage) Page(allow ...netip.Prefix) http.Handler {
	return newPage(c.mux, c, allow)
}

// mark sets the use of the routes.
func (c *Coverage) mark(routes []Route) {
	used := map[key]Use{}
	for _, u := range c.Routes() {
		used[keyOf(u.Route)] = u.Use
	}
	for i := range routes {
		u := used[keyOf(routes[i].Route)]
		routes[i].Use = &u
	}
}

// Routes returns the use of each route of the Mux, in the order of Mux.Routes.
func (c *Coverage) Routes() []Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.index(c.table.Load())
	c.table.Store(t)
	list := make([]Usage, len(t.routes))
	for i, r := range t.routes {
		list[i].Route = *r.route
		list[i].Hits, list[i].Last = r.set.Read(r.index)
	}
	return list
}

// Unused returns the routes without a request, except for the page of [Handler].
func (c *Coverage) Unused() (list []muxmaster.Route) {
	for _, u := range c.Routes() {
		if u.Hits == 0 && !isPage(&u.Route) {
			list = append(list, u.Route)
		}
	}
	return list
}

// Print writes the routes without a request as a table, after a line that says
// how many routes were used. It returns the used share of all routes, from 0 to
// 1, for a threshold at the end of TestMain; it is 1 if there are no routes. The
// page of [Handler] doesn't count.
func (c *Coverage) Print(w io.Writer) (share float64, err error) {
	list := slices.DeleteFunc(c.Routes(), func(u Usage) bool { return isPage(&u.Route) })
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	used := 0
	for _, u := range list {
		if u.Hits > 0 {
			used++
			continue
		}
		fmt.Fprintf(tw, "  %s\t%s\t%s:%d\n", terminal.Method(u.Method, false), printable.Replace(u.Host+u.Pattern), u.File, u.Line)
	}
	tw.Flush()
	share = 1
	if len(list) > 0 {
		share = float64(used) / float64(len(list))
	}
	rest := ""
	if used < len(list) {
		rest = "; not used:"
	}
	_, err = fmt.Fprintf(w, "%d of %d routes (%.0f%%) were used%s\n%s", used, len(list), 100*share, rest, b.String())
	return share, err
}
