package muxmaster_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// similarNames are segments made to be taken for one another by a router that
// looks at their lengths, beginnings and ends: there are few of these.
func similarNames(n int) []string {
	rng := rand.New(rand.NewPCG(uint64(n), 6))
	seen := map[string]bool{}
	var names []string
	for len(names) < n {
		size := []int{1, 3, 7, 8, 9, 15, 16, 17, 24, 25, 40}[rng.IntN(11)]
		b := []byte(strings.Repeat("a", size))
		for range 1 + rng.IntN(3) {
			b[rng.IntN(size)] = "abcdefghijklmnopqrstuvwxyz0123456789-_~"[rng.IntN(39)]
		}
		if s := string(b); !seen[s] {
			seen[s] = true
			names = append(names, s)
		}
	}
	return names
}

// Among many children of one node, and many whole paths, each route is found, and
// nothing that is no route.
func TestManyRoutes(t *testing.T) {
	for _, n := range []int{2, 6, 7, 12, 13, 100, 1500} {
		names := similarNames(2 * n)
		m := newMux(true)
		register := func(p, want string) {
			m.GET(p, func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, want)
				values(w, r)
			})
		}
		for i, name := range names[:n] {
			register("/"+name, fmt.Sprint("static", i))
			register("/x/"+name+"/:id", fmt.Sprint("param", i))
			register("/y/:id/"+name, fmt.Sprint("behind", i))
			register("/z/"+name+"/*rest", fmt.Sprint("rest", i))
			register("/p/"+name+"/{n:[0-9]+}/"+name, fmt.Sprint("num", i))
		}
		register("/p/:any/*rest", "any")
		for i, name := range names {
			for _, c := range [][2]string{
				{"/" + name, fmt.Sprint("static", i)},
				{"/x/" + name + "/7", fmt.Sprintf(`param%did="7"`, i)},
				{"/y/7/" + name, fmt.Sprintf(`behind%did="7"`, i)},
				{"/z/" + name + "/a/b", fmt.Sprintf(`rest%drest="/a/b"`, i)},
				{"/p/" + name + "/7/" + name, fmt.Sprintf(`num%dn="7"`, i)},
			} {
				want := c[1]
				if i >= n {
					want = "404"
				}
				if strings.HasPrefix(c[0], "/p/") && i >= n {
					want = fmt.Sprintf(`anyany=%q rest="/7/%s"`, name, name)
				}
				if got := get(t, m, "GET", c[0]); got != want {
					t.Fatalf("%d names: %s: got %s, want %s", n, c[0], got, want)
				}
			}
		}
	}
}

// Paths that differ in their middle alone.
func TestPathsAlikeAtTheirEnds(t *testing.T) {
	for _, form := range []string{
		"/beginning/%06d/the-end-of-all",
		"/beginning-%06d-the-end-of-all",          // one segment,
		"/beginning-%06d-the-end-of-all/:id",      // the child of a node
		"/x/beginning-%d-the-end-of-all/{n:..*}/", // of different lengths
		"/x/%08d/:id", "/x/a%07d/*rest", "/%d/:id",
	} {
		for _, n := range []int{2, 7, 40, 2000} {
			m := muxmaster.New()
			target := strings.NewReplacer(":id", "7", "{n:..*}", "7", "*rest", "7")
			for i := range n {
				m.GET(fmt.Sprintf(form, i), tell(fmt.Sprint(i)))
			}
			for i := range 2 * n {
				want := fmt.Sprint(i)
				if i >= n {
					want = "404"
				}
				path := target.Replace(fmt.Sprintf(form, i))
				if got := get(t, m, "GET", path); got != want {
					t.Fatalf("%d routes, %s: got %s, want %s", n, path, got, want)
				}
			}
		}
	}
}
