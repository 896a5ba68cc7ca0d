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
		lastRequest = r
		go serve(r) // want `r can outlive`
	}))
	defer s.Close()
	use(got, <-seen)
}
