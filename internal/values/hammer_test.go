package values

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestHammer serves concurrent and nested requests of two owners, with all
// kinds of delivery. No request may get values of another. Requests that aren't
// pooled must keep their values forever. Late readers read while other requests
// are served, so the race detector reports writes to memory that can still be
// read.
func TestHammer(t *testing.T) {
	const workers, requests, most = 8, 400, 20
	type kept struct {
		r    *http.Request
		want []pair
	}
	outer, inner := new(Owner), new(Owner)
	var routes [2][most][]*route // by owner, number of values and delivery
	for k, o := range []*Owner{outer, inner} {
		for n := range most {
			var list []string
			for i := range n {
				list = append(list, fmt.Sprintf("%c%d", "oi"[k], i))
			}
			for _, d := range deliveries {
				routes[k][n] = append(routes[k][n], newRoute(o, d, list...))
			}
		}
	}
	late := make(chan kept, 100)
	var readers sync.WaitGroup
	readers.Go(func() {
		var all []kept
		read := func(k kept) {
			for _, p := range k.want {
				if got := k.r.PathValue(p.Key); got != p.Value {
					t.Errorf("a kept request: %s=%q, want %q", p.Key, got, p.Value)
				}
			}
		}
		for k := range late {
			all = append(all, k)
			read(all[len(all)/2])
		}
		for _, k := range all {
			read(k)
		}
	})
	var clients sync.WaitGroup
	for c := range workers {
		clients.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(c), 5))
			// serve serves a request with a route of an owner.
			serve := func(owner int, r *http.Request, id string, handler func(r *http.Request, rt *route, want []pair)) {
				rt := routes[owner][rng.IntN(most)][rng.IntN(len(deliveries))]
				var vals []string
				var want []pair
				for i, name := range rt.list {
					vals = append(vals, fmt.Sprintf("%s-%d", id, i))
					want = append(want, pair{name, vals[i]})
				}
				check := func(r *http.Request) {
					for _, p := range want {
						if got := r.PathValue(p.Key); got != p.Value {
							t.Errorf("%s: %s=%q, want %q", id, p.Key, got, p.Value)
						}
					}
				}
				rt.serve(r, vals, func(r *http.Request) {
					check(r)
					handler(r, rt, want)
					check(r)
				})
			}
			for i := range requests {
				target := "/" + strings.Repeat("x", rng.IntN(2)*300) // some are Long
				r := httptest.NewRequest("GET", target, nil)
				serve(0, r, fmt.Sprintf("%d.%d", c, i), func(r *http.Request, rt *route, want []pair) {
					switch rng.IntN(4) {
					case 0: // another request within this one
						other := httptest.NewRequest("GET", "/", nil)
						serve(0, other, fmt.Sprintf("%d.%d.other", c, i), func(*http.Request, *route, []pair) {})
					case 1: // another owner's router within this one
						serve(1, r, fmt.Sprintf("%d.%d.inner", c, i), func(r *http.Request, _ *route, inner []pair) {
							if got := len(names(r)); Direct && got != len(want)+len(inner) {
								t.Errorf("%d values of %d and %d", got, len(want), len(inner))
							}
							for _, p := range want {
								if got := r.PathValue(p.Key); got != p.Value {
									t.Errorf("inside of another owner: %s=%q, want %q", p.Key, got, p.Value)
								}
							}
						})
					case 2:
						late <- kept{r.Clone(r.Context()), want} // a clone keeps its values even if r is pooled
					default:
						if !rt.pooled {
							late <- kept{r, want}
						}
					}
				})
			}
		})
	}
	clients.Wait()
	close(late)
	readers.Wait()
}
