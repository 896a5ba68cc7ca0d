//go:build !muxmaster_safe

package values

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// TestRingsAreBounded checks that the size of a Ring is bounded, for any number
// of requests, and that a borrowed Ring is reused.
func TestRingsAreBounded(t *testing.T) {
	g := &Buffer{kind: Ring}
	for range 100_000 {
		g.Carve(3)
	}
	if n := len(g.slots); n <= minRing || n > maxRing {
		t.Errorf("after short laps, a Ring has %d slots", n)
	}
	got := heapBytes(func() any {
		for range 1000 {
			var lent []*Buffer
			for range 20 {
				g := Borrow(Ring)
				for range 100 {
					g.Carve(3)
				}
				lent = append(lent, g)
			}
			for i, g := range lent {
				for _, other := range lent[:i] {
					if g == other {
						t.Fatal("a Ring was lent twice")
					}
				}
				if len(g.slots) > maxRing {
					t.Fatalf("a Ring has %d slots", len(g.slots))
				}
			}
			for _, g := range lent {
				g.Return()
			}
		}
		return nil
	})
	if got > 100*maxRing*16 {
		t.Errorf("%d bytes stay alive", got)
	}
}

// TestBuffersHaveOneUser checks that no two goroutines have the same Buffer at
// once, also if they move to other processors or never return their Buffer.
func TestBuffersHaveOneUser(t *testing.T) {
	if n := unsafe.Sizeof(Buffer{}); n%128 != 0 && unsafe.Sizeof(n) == 8 {
		t.Errorf("two Buffers of %d bytes may share a cache line", n)
	}
	for _, k := range []Kind{Chunk, Ring} {
		var mu sync.Mutex
		lent := map[*Buffer]bool{}
		note := func(b *Buffer, borrowed bool) {
			mu.Lock()
			defer mu.Unlock()
			if lent[b] == borrowed {
				t.Errorf("kind %d: a Buffer was lent twice", k)
			}
			lent[b] = borrowed
		}
		var users sync.WaitGroup
		for user := range 16 {
			users.Go(func() {
				for i := range 1000 {
					b := Borrow(k)
					note(b, true)
					slots := b.Carve(1 + i%5)
					for j := range slots {
						slots[j] = strconv.Itoa(user)
					}
					if i%3 == 0 {
						runtime.Gosched()
					}
					for _, s := range slots {
						if s != strconv.Itoa(user) {
							t.Errorf("kind %d: user %d finds a value of user %s", k, user, s)
						}
					}
					if i%100 == 99 {
						continue // as if the handler panicked
					}
					note(b, false)
					b.Return()
				}
			})
		}
		users.Wait()
	}
}

// TestRingLap checks that the slots of a request keep their values after Clear
// until the Ring wraps around, so that late readers don't get values of other
// requests.
func TestRingLap(t *testing.T) {
	g := &Buffer{kind: Ring}
	g.Carve(1) // the first Carve makes room
	first := g.Carve(3)
	for i := range first {
		first[i] = "mine"
	}
	for range minRing/3 - 2 {
		for i, slots := 0, g.Carve(3); i < 3; i++ {
			slots[i] = "next"
		}
		if strings.Join(first, " ") != "mine mine mine" {
			t.Fatalf("within the lap, the values are %q", first)
		}
	}
	// If the Ring wraps around within 20 ms, it grows, so the slots stay
	// unchanged.
	for range 3 {
		for i, slots := 0, g.Carve(3); i < 3; i++ {
			slots[i] = "next"
		}
	}
	if got := strings.Join(first, " "); len(g.slots) == minRing && got == "mine mine mine" || len(g.slots) > minRing && got != "mine mine mine" {
		t.Errorf("a Ring of %d slots started over: %q", len(g.slots), first)
	}
}

// TestClearIsOfOneRoute checks that Clear and Drop don't change values of
// others.
func TestClearIsOfOneRoute(t *testing.T) {
	o := new(Owner)
	one, two := NewNames(o, []string{"x"}, false), NewNames(o, []string{"x"}, false)
	r := new(http.Request)
	one.Set(r, []string{"1"})
	if two.TryClear(r); r.PathValue("x") != "1" {
		t.Error("TryClear has cleared the values of another route")
	}
	if one.TryClear(r); r.PathValue("x") != "" || Has(r) {
		t.Error("TryClear has left the values")
	}
	// TrySet does nothing if the request has values of another owner.
	NewNames(new(Owner), []string{"y"}, false).Set(r, []string{"2"})
	if r.Pattern = "before"; one.TrySet(r, "after", []string{"1"}) || r.Pattern != "before" || r.PathValue("x") != "" || r.PathValue("y") != "2" {
		t.Error("TrySet has replaced the values of another owner")
	}
}
