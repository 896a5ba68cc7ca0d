package routes

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// The analyzer knows every verb method of the router.
func TestVerbs(t *testing.T) {
	n := 0
	for m := range reflect.TypeFor[muxmaster.Router]().Methods() {
		if verb, ok := strings.CutSuffix(m.Name, "Fast"); ok && verb == strings.ToUpper(verb) {
			n++
			if !verbs[verb] {
				t.Errorf("verbs has no %s", verb)
			}
		}
	}
	if n != len(verbs) {
		t.Errorf("the router has %d verb methods, verbs has %d", n, len(verbs))
	}
}
