package routes

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestParameters also registers the patterns, so that all of them are valid,
// and builds a path with the names that Parameters finds.
func TestParameters(t *testing.T) {
	for pattern, want := range map[string]string{
		"/":                               "",
		"/users/:id":                      "id",
		"/users/{id}/posts/{post}":        "id post",
		"/users/{id:[0-9]{2,3}}":          "id",
		`/u/{id:\pL+}/{x:\p{Greek}[}{]?}`: "id x",
		`/u/{id:[^/]+}/{x:a|\}}`:          "id x",
		"/static/*filepath":               "filepath",
		"/static/{filepath...}":           "filepath",
		"/x/{$}":                          "",
		"/v{major}.{minor}/user_:name":    "major minor name",
		"/{id}:cancel":                    "id",
		"/a%3Ab/{größe}":                  "größe",
		"GET,POST {sub...}.example.com/x": "sub",
		"example.com:443/{a-b}":           "a-b",
	} {
		if got := strings.Join(Parameters(pattern), " "); got != want {
			t.Errorf("%s has the parameters %q, want %q", pattern, got, want)
		}
		if err := (Place{route: &Route{Kind: Handle, Pattern: pattern}}).Register(muxmaster.New()); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

func TestSegments(t *testing.T) {
	if got, want := Segments("GET h/a/{x:[^/]+}/"), []string{"GET h", "a", "{x:[^/]+}", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
