package retain

import "net/http"

// Many branches: the check must not follow every path separately.
func large(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	q := r
	var list []*http.Request
	if r.ContentLength > 0 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 1 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 2 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 3 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 4 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 5 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 6 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 7 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 8 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 9 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 10 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 11 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 12 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 13 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 14 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 15 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 16 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 17 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 18 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 19 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 20 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 21 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 22 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 23 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 24 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 25 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 26 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 27 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 28 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 29 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 30 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 31 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 32 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 33 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 34 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 35 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 36 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 37 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 38 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 39 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 40 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 41 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 42 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 43 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 44 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 45 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 46 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 47 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 48 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 49 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 50 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 51 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 52 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 53 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 54 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 55 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 56 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 57 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 58 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	if r.ContentLength > 59 {
		list = append(list, q)
		q = q.WithContext(ctx)
	}
	go use(list) // want `r can outlive`
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
