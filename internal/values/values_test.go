package values

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
)

// These tests check all kinds of delivery. They use the package like the
// router.

// A delivery is the kind of a route's delivery.
type delivery struct {
	fast   bool // values with keys
	pooled bool // the storage is reused after the handler returns
}

var deliveries = []delivery{{false, false}, {true, false}, {false, true}, {true, true}}

func (d delivery) String() string { return fmt.Sprintf("fast %v, pooled %v", d.fast, d.pooled) }

// A pair is a key and its value.
type pair struct{ Key, Value string }

// A route delivers values.
type route struct {
	delivery
	list  []string
	names *Names
}

func newRoute(o *Owner, d delivery, list ...string) *route {
	return &route{d, list, NewNames(o, list, d.fast)}
}

// serve delivers the values to r and calls the handler. The pairs are nil
// unless the route is fast.
func (rt *route) serve(r *http.Request, vals []string, handler func(r *http.Request, ps []pair)) {
	n := len(vals)
	if rt.fast {
		n *= 2
	}
	var ring *Buffer
	var slots []string
	switch {
	case !Direct || n > MaxChunk || len(r.URL.Path)|len(r.RequestURI) >= Long:
		slots = make([]string, n)
	case rt.pooled:
		ring = Borrow(Ring)
		slots = ring.Carve(n)
	default:
		slots = Carve(n)
	}
	copy(slots, vals)
	var ps []pair
	if rt.fast {
		for i := range vals {
			slots[2*i], slots[2*i+1] = rt.names.Key(i), vals[i]
		}
		ps = Pairs[pair](slots)
	}
	if !Direct || !rt.names.TrySet(r, "", slots) {
		rt.names.Set(r, slots)
	}
	handler(r, ps)
	if rt.pooled && Direct {
		rt.names.Clear(r)
	}
	if ring != nil {
		ring.Return()
	}
}

// wantValues compares the path values of r with want.
func wantValues(t *testing.T, r *http.Request, where string, want ...pair) {
	t.Helper()
	var names []string
	for _, p := range want {
		names = append(names, p.Key)
		if got := r.PathValue(p.Key); got != p.Value {
			t.Errorf("%s: %s=%q, want %q", where, p.Key, got, p.Value)
		}
	}
	if got := List(r); !slices.Equal(got, names) {
		t.Errorf("%s: the names are %q, want %q", where, got, names)
	}
}

func TestDelivery(t *testing.T) {
	for _, d := range deliveries {
		for _, n := range []int{0, 1, 2, 3, 8, 9, 16, 31, 32, 33, 62, 63, 64, 65, 200} { // a chunk gives up to 32
			o := NewOwner()
			var list, vals []string
			var want []pair
			for i := range n {
				list, vals = append(list, fmt.Sprint("p", i)), append(vals, fmt.Sprint("v", i))
				want = append(want, pair{list[i], vals[i]})
			}
			rt := newRoute(o, d, list...)
			r := httptest.NewRequest("GET", "/", nil)
			rt.serve(r, vals, func(r *http.Request, ps []pair) {
				wantValues(t, r, d.String(), want...)
				if d.fast && !slices.Equal(ps, want) {
					t.Errorf("%v: got pairs %v, want %v", d, ps, want)
				}
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

// TestOwners checks that the values of an owner replace its earlier values, and
// hide values of other owners with the same names.
func TestOwners(t *testing.T) {
	a, b := NewOwner(), NewOwner()
	for _, d := range deliveries {
		plain := delivery{d.fast, false} // pooled values are gone when serve returns
		r := httptest.NewRequest("GET", "/", nil)
		nothing := func(*http.Request, []pair) {}
		newRoute(a, plain, "x", "y").serve(r, []string{"1", "2"}, nothing)
		wantValues(t, r, "a", pair{"x", "1"}, pair{"y", "2"})
		newRoute(a, plain, "y", "z").serve(r, []string{"3", "4"}, nothing)
		wantValues(t, r, "a again", pair{"y", "3"}, pair{"z", "4"})
		newRoute(b, d, "z", "w").serve(r, []string{"5", "6"}, func(r *http.Request, ps []pair) {
			wantValues(t, r, d.String()+": b in a", pair{"z", "5"}, pair{"w", "6"}, pair{"y", "3"})
		})

		r = httptest.NewRequest("GET", "/", nil)
		newRoute(a, plain, "x").serve(r, []string{"1"}, nothing)
		Drop(r, b)
		wantValues(t, r, "another owner's dropped", pair{"x", "1"})
		Drop(r, a)
		wantValues(t, r, "dropped")
		if Has(r) && Direct {
			t.Error("dropped, a request has values")
		}
	}
}

// TestInsideServeMux checks that the values of an outer http.ServeMux remain.
func TestInsideServeMux(t *testing.T) {
	for _, d := range deliveries {
		mux := http.NewServeMux()
		mux.HandleFunc("/{x}/{y}/{rest...}", func(w http.ResponseWriter, r *http.Request) {
			wantValues(t, r, "ServeMux", pair{"x", "1"}, pair{"y", "2"}, pair{"rest", "3/4"})
			newRoute(NewOwner(), d, "y", "z").serve(r, []string{"5", "6"}, func(r *http.Request, ps []pair) {
				wantValues(t, r, d.String(), pair{"y", "5"}, pair{"z", "6"}, pair{"x", "1"}, pair{"rest", "3/4"})
			})
		})
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/1/2/3/4", nil))
	}
}

func TestTags(t *testing.T) {
	a, b := NewOwner(), NewOwner()
	r := httptest.NewRequest("GET", "/", nil)
	if tag := Tag(r, a); tag != nil {
		t.Errorf("a new request has the tag %v", tag)
	}
	NewNames(a, []string{"x"}, false).WithTag("of a").Set(r, []string{"1"})
	for _, r := range []*http.Request{r, r.Clone(r.Context()), r.WithContext(r.Context())} {
		if got, other := Tag(r, a), Tag(r, b); got != "of a" || other != nil {
			t.Errorf("tags %v and %v, want that of a", got, other)
		}
		wantValues(t, r, "tagged", pair{"x", "1"})
	}
	// Each owner gets its own tag.
	NewNames(b, nil, false).WithTag("of b").Set(r, nil)
	if got := Tag(r, b); got != "of b" {
		t.Errorf("the tag of b is %v", got)
	}
	wantValues(t, r, "tagged twice", pair{"x", "1"})
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
