package retain

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestSees(t *testing.T) {
	var got *http.Request
	seen := make(chan *http.Request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		seen <- r
		lastRequest = r // want `r outlives`
		go serve(r)     // want `r can outlive`
	}))
	defer s.Close()
	use(got, <-seen)
}

type seenRequests struct {
	all  []*http.Request
	byID map[string]*http.Request
}

func (s *seenRequests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.all = append(s.all, r)
	s.byID[r.PathValue("id")] = r
	go serve(r) // want `r can outlive`
}

type seenByValue struct{ *seenRequests }

func (s seenByValue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.all = append(s.all, r)
}
