package values

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// These tests check all kinds of delivery. They use the package like the
// router.

// A delivery is the kind of a route's delivery.
type delivery struct {
	pooled bool // the storage is reused after the handler returns
}

var deliveries = []delivery{{false}, {true}}

func (d delivery) String() string { return fmt.Sprintf("pooled %v", d.pooled) }

// A pair is a key and its value.
type pair struct{ Key, Value string }

// A route delivers values.
type route struct {
	delivery
	list  []string
	names *Names
}

func newRoute(o *Owner, d delivery, list ...string) *route {
	return &route{d, list, NewNames(o, list, d.pooled)}
}

// serve delivers the values to r and calls the handler.
func (rt *route) serve(r *http.Request, vals []string, handler func(r *http.Request)) {
	n := len(vals)
	var ring *Buffer
	var slots []string
	switch {
	case !Direct || n > MaxChunk || len(r.URL.Path)|len(r.RequestURI) >= Long:
		slots = make([]string, n)
	case rt.pooled:
		ring = Borrow(Ring)
		slots = ring.Carve(n)
	default:
		slots = Carve(r, n)
	}
	copy(slots, vals)
	pattern := strings.Repeat("/x", 1-min(n, 1))
	for _, name := range rt.list {
		pattern += "/{" + name + "}"
	}
	if !Direct || !rt.names.TrySet(r, pattern, slots) {
		rt.names.Set(r, slots)
		r.Pattern = pattern
	}
	handler(r)
	if rt.pooled && Direct {
		rt.names.TryClear(r)
	}
	if ring != nil {
		ring.Return()
	}
}

// names returns the names of the path values of r.
func names(r *http.Request) (list []string) {
	Each(r, func(name, _ string) bool {
		list = append(list, name)
		return true
	})
	return list
}

// wantValues compares the path values of r with want.
func wantValues(t *testing.T, r *http.Request, where string, want ...pair) {
	t.Helper()
	var list []string
	for _, p := range want {
		list = append(list, p.Key)
		if got := r.PathValue(p.Key); got != p.Value {
			t.Errorf("%s: %s=%q, want %q", where, p.Key, got, p.Value)
		}
	}
	if got := names(r); Direct && !slices.Equal(got, list) { // without it, a request knows only the innermost router
		t.Errorf("%s: the names are %q, want %q", where, got, list)
	}
}

func TestDelivery(t *testing.T) {
	for _, d := range deliveries {
		for _, n := range []int{0, 1, 2, 3, 8, 9, 16, 31, 32, 33, 62, 63, 64, 65, 200} { // a chunk gives up to 32
			o := new(Owner)
			var list, vals []string
			var want []pair
			for i := range n {
				list, vals = append(list, fmt.Sprint("p", i)), append(vals, fmt.Sprint("v", i))
				want = append(want, pair{list[i], vals[i]})
			}
			rt := newRoute(o, d, list...)
			r := httptest.NewRequest("GET", "/", nil)
			rt.serve(r, vals, func(r *http.Request) {
				wantValues(t, r, d.String(), want...)
				if r.PathValue("none") != "" || r.PathValue("") != "" {
					t.Errorf("%v: a name that the route has not has a value", d)
				}
				wantValues(t, r.Clone(r.Context()), "a clone", want...)
				wantValues(t, r.WithContext(r.Context()), "a copy", want...)
			})
			if d.pooled && Direct {
				want = nil
			}
			wantValues(t, r, d.String()+", afterwards", want...)
		}
	}
}

// heapBytes returns the number of bytes that the result of f retains.
func heapBytes(f func() any) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int(after.HeapAlloc) - int(before.HeapAlloc)
}

func TestEach(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	if Each(r, func(string, string) bool { t.Error("a request without values has one"); return true }); names(r) != nil {
		t.Error("a request without values has names")
	}
	newRoute(new(Owner), delivery{}, "x", "y", "z").serve(r, []string{"1", "2", ""}, func(r *http.Request) {
		var got []string
		Each(r, func(name, value string) bool {
			got = append(got, name+value)
			return name != "y"
		})
		if !slices.Equal(got, []string{"x1", "y2"}) || !slices.Equal(names(r), []string{"x", "y", "z"}) {
			t.Errorf("got %q and the names %q", got, names(r))
		}
	})
}

// TestSetAllocations checks that SetPathValue's way allocates only the map that
// net/http makes.
func TestSetAllocations(t *testing.T) {
	slots := []string{"1"}
	before := testing.AllocsPerRun(100, func() { new(http.Request).SetPathValue("x", "1") })
	if got := testing.AllocsPerRun(100, func() { safeSet(new(http.Request), "", []string{"x"}, slots) }); got > before {
		t.Errorf("%v allocations, SetPathValue alone has %v", got, before)
	}
}

// A request has the mark of the Names that were set last.
func TestMark(t *testing.T) {
	o, other := new(Owner), new(Owner)
	a, plain := NewMark(o, []string{"x"}, false, "a"), NewNames(o, []string{"y"}, false)
	b, foreign := NewMark(other, nil, false, "b"), NewNames(other, []string{"z"}, false)
	for _, c := range []struct {
		set  []*Names
		want any
	}{
		{nil, nil}, {[]*Names{a}, "a"}, {[]*Names{plain}, nil}, {[]*Names{a, plain}, nil}, {[]*Names{plain, a}, "a"},
		{[]*Names{a, b}, "b"}, {[]*Names{a, foreign}, nil}, {[]*Names{foreign, a}, "a"}, {[]*Names{a, b, a}, "a"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		for _, n := range c.set {
			n.Set(r, []string{"1"})
			r.Pattern = "/"
		}
		if got := Mark(r); got != c.want {
			t.Errorf("%d Names: %v, want %v", len(c.set), got, c.want)
		}
		if got := Mark(r.WithContext(r.Context())); got != c.want {
			t.Errorf("%d Names, a copy: %v, want %v", len(c.set), got, c.want)
		}
		Drop(r, o)
		Drop(r, other)
		if got := Mark(r); got != nil {
			t.Errorf("%d Names, dropped: %v", len(c.set), got)
		}
	}
}
