package retain

import "net/http"

// Recursive types and functions.

type (
	pointer *pointer
	list1   []list1
	graph   struct {
		next *graph
		all  []graph
		step func() *graph
		r    *http.Request
	}
	generic[T any] struct{ v T }
)

func (g *generic[T]) self() *generic[T] { return g.self() }

func first(g *graph, n int) *graph {
	if n > 0 {
		return second(g, n-1)
	}
	return g
}

func second(g *graph, n int) *graph { return first(g, n) }

func cycles(w http.ResponseWriter, r *http.Request) {
	var p, q pointer
	p, q = &q, &p
	go func() { p = &p; use(p, q) }()
	var l list1
	l = append(l, l)
	l[0] = l
	go use(l)
	var a any = &r
	a = &a
	go use(a) // want `r can outlive`
	g := &graph{r: r}
	g.next = g
	g.all = append(g.all, *g)
	g.step = func() *graph { g = g.next; return g }
	go func() { use(g.step().next.next) }() // want `r can outlive`
	for g != nil {
		g = g.next
		t := g
		go func() { use(t.r); t = g }() // want `r can outlive`
	}
	go use(first(&graph{r: r}, 3))            // want `r can outlive`
	go use((&generic[any]{r}).self())         // never returns
	go (*generic[any]).self(&generic[any]{r}) // want `r can outlive`
	go println(r)                             // want `r can outlive`
	var none func(*http.Request)
	go none(r)                                                  // want `r can outlive`
	go (func(http.ResponseWriter, *http.Request))(cycles)(w, r) // want `r can outlive`
}

func _(w http.ResponseWriter, r *http.Request) {
	go use(r) // want `r can outlive`
}

func unreachable(w http.ResponseWriter, r *http.Request) {
	return
	go use(r)
}

func forever(w http.ResponseWriter, r *http.Request) {
	for {
		go use(r)
	}
}

type node struct {
	next *node
	r    *http.Request
}

// A variable whose only assignment depends on itself.
func cursor(w http.ResponseWriter, r *http.Request) {
	var n *node
	step := func() *node { return n }
	for range 3 {
		n = n.next
		n.r = r
	}
	go use(step())
	done := make(chan *node)
	go func() { done <- n }()
	<-done
}
