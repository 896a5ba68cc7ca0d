//go:build !muxmaster_safe

package values

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A model is the expected state of a request: the layers of the owners, the
// innermost first, and the values set by other code.
type model struct {
	layers []modelLayer
	others map[string]string
}

type modelLayer struct {
	owner int
	vals  []pair
}

func (m *model) drop(owner int) {
	m.layers = slices.DeleteFunc(m.layers, func(l modelLayer) bool { return l.owner == owner })
}

func (m *model) set(owner int, vals []pair) {
	m.drop(owner)
	if len(vals) > 0 {
		m.layers = slices.Insert(m.layers, 0, modelLayer{owner, vals})
	}
}

// put models SetPathValue, which changes the visible value.
func (m *model) put(name, value string) {
	for _, l := range m.layers {
		for i := range l.vals {
			if l.vals[i].Key == name {
				l.vals[i].Value = value
				return
			}
		}
	}
	m.others[name] = value
}

func (m *model) list() (list []pair) {
	for _, l := range m.layers {
		for _, p := range l.vals {
			if !slices.ContainsFunc(list, func(q pair) bool { return q.Key == p.Key }) {
				list = append(list, p)
			}
		}
	}
	return list
}

func (m *model) clone() *model {
	c := &model{others: map[string]string{}}
	for _, l := range m.layers {
		c.layers = append(c.layers, modelLayer{l.owner, slices.Clone(l.vals)})
	}
	for k, v := range m.others {
		c.others[k] = v
	}
	return c
}

var modelNames = []string{"x", "y", "z", "w"}

// check compares r with m.
func (m *model) check(t *testing.T, r *http.Request, where string) {
	t.Helper()
	want := m.list()
	wantValues(t, r, where, want...)
	for _, name := range modelNames {
		if got := r.PathValue(name); !slices.Contains(want, pair{name, got}) && got != m.others[name] {
			t.Errorf("%s: %s=%q, want %q", where, name, got, m.others[name])
		}
	}
}

// TestManyOwners checks that a request has the values that each router has set
// last, after any sequence of setting and dropping values, and that copies of
// the request keep their values.
func TestManyOwners(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		owners := []*Owner{new(Owner), new(Owner), new(Owner)}
		r := httptest.NewRequest("GET", "/", nil)
		m := &model{others: map[string]string{}}
		type kept struct {
			r *http.Request
			m *model
		}
		var copies []kept
		var log strings.Builder
		for step := range 1 + rng.IntN(12) {
			k := rng.IntN(len(owners))
			switch what := rng.IntN(6); what {
			default:
				d := delivery{}
				var list, vals []string
				var pairs []pair
				for _, i := range rng.Perm(len(modelNames))[:rng.IntN(4)] {
					list, vals = append(list, modelNames[i]), append(vals, []string{fmt.Sprint("v", step, i), ""}[rng.IntN(8)/7]) // "" as of a catch-all
					pairs = append(pairs, pair{modelNames[i], vals[len(vals)-1]})
				}
				fmt.Fprintf(&log, "owner %d sets %v; ", k, pairs)
				if len(list) == 0 {
					Drop(r, owners[k])
				} else {
					newRoute(owners[k], d, list...).serve(r, vals, func(*http.Request) {})
				}
				m.set(k, pairs)
			case 3:
				fmt.Fprintf(&log, "owner %d drops; ", k)
				Drop(r, owners[k])
				m.drop(k)
			case 4:
				name := modelNames[rng.IntN(len(modelNames))]
				fmt.Fprintf(&log, "SetPathValue of %s; ", name)
				r.SetPathValue(name, fmt.Sprint("own", step))
				m.put(name, fmt.Sprint("own", step))
			case 5:
				fmt.Fprintf(&log, "a clone; ")
				copies = append(copies, kept{r, m.clone()})
				r = r.Clone(r.Context())
			}
			m.check(t, r, log.String())
		}
		for _, c := range copies {
			c.m.check(t, c.r, log.String()+"the original of a clone")
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestCopiesAreIndependent checks that a copy of the request that another
// router serves in another goroutine shares no values with the original.
func TestCopiesAreIndependent(t *testing.T) {
	a, b := new(Owner), new(Owner)
	r := httptest.NewRequest("GET", "/", nil)
	NewNames(a, []string{"x", "y"}, false).Set(r, []string{"1", "2"})
	done := make(chan bool)
	go func() {
		c := r.WithContext(r.Context())
		Drop(c, a)
		for range 1000 {
			NewNames(b, []string{"y", "z"}, false).Set(c, []string{"3", "4"})
			NewNames(a, []string{"z"}, false).Set(c, []string{"5"})
			c = r.WithContext(r.Context())
		}
		close(done)
	}()
	for range 1000 {
		wantValues(t, r, "the original", pair{"x", "1"}, pair{"y", "2"})
	}
	<-done
}
