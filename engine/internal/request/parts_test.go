package request

import (
	"net/http"
	"strconv"
	"testing"
)

// TestReuse checks that a request with many fields leaves no large map, which
// each later request would clear.
func TestReuse(t *testing.T) {
	for _, fields := range []int{1, maxReused, 10_000} {
		p := new(Parts)
		p.Begin(new(http.Request), t.Context())
		f := p.Filler(fields)
		for i := range fields {
			f.Add(0, strconv.Itoa(i), "v")
		}
		if !p.Reuse() {
			t.Skip("this build doesn't reuse requests")
		}
		if kept := p.Header != nil; kept != (fields <= maxReused) || len(p.Header) > 0 || cap(p.Values) > maxReused {
			t.Errorf("after %d fields: the map is kept: %v, with %d fields; %d values", fields, kept, len(p.Header), cap(p.Values))
		}
	}
}
