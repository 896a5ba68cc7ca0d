package retain

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestSees(t *testing.T) {
	var got *http.Request
	seen := make(chan *http.Request, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		seen <- r
		go serve(r) // want `r can outlive`
	})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	use(got, <-seen)
}
