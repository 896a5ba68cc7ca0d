package requestid

import (
	"context"
	"net/http/httptest"
	"testing"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		name, inContext, inHeader, want string
	}{
		{"none", "", "", ""},
		{"context", "a", "", "a"},
		{"header", "", "b", "b"},
		{"both", "a", "b", "a"},
		{"header that isn't an id", "", "b\nc", ""},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		if tt.inContext != "" {
			r = r.WithContext(NewContext(r.Context(), tt.inContext))
		}
		if tt.inHeader != "" {
			w.Header().Set(Header, tt.inHeader)
		}
		if got := Of(w, r); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestOfUnusualRequests checks that two IDs in the header count as none, and
// that a Context returns other values of its parent.
func TestOfUnusualRequests(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	w.Header()[Header] = []string{"a", "b"}
	if got := Of(w, r); got != "" {
		t.Errorf("of two IDs: %q", got)
	}
	type other struct{}
	ctx := NewContext(context.WithValue(context.Background(), other{}, "value"), "id")
	if got := ctx.Value(other{}); got != "value" {
		t.Errorf("a value of the parent: %v", got)
	}
	if got := FromContext(context.WithValue(ctx, other{}, "inner")); got != "id" {
		t.Errorf("from a context around it: %q", got)
	}
}

func TestHeaderValuesAreSeparate(t *testing.T) {
	c := NewContext(context.Background(), "id")
	c.HeaderValues()[0] = "changed"
	if got := FromContext(c); got != "id" {
		t.Errorf("id %q after a write into the header, want %q", got, "id")
	}
}
