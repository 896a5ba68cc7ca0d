package trie

import (
	"strings"
	"testing"
)

func TestShapesFind(t *testing.T) {
	for _, c := range []struct {
		first, second string
		conflict      bool
	}{
		{"GET /x", "GET /x", true},
		{"GET /x", "POST /x", false},
		{"GET /x", "/x", false},
		{"/x", "/x", true},
		{"GET,POST /x", "PUT,POST /x", true},
		{"/x/{$}", "/x/", false},
		{"/x/{$}", "/x", false},
		{"/{a}", "/{b}", true},
		{"/{a}", "/:b", true},
		{"/{a}/x", "/{b}/y", false},
		{"/{a:[0-9]+}", "/{b:[0-9]+}", true},
		{"/{a:[0-9]+}", "/{b:[0-9]*}", false},
		{"/{a:[0-9]+}", "/{b}", false},
		{"/v{a}", "/v{b}", true},
		{"/v{a}", "/w{b}", false},
		{"/x/*rest", "/x/{r...}", true},
		{"/x/*rest", "/x/", true},
		{"/%61", "/a", true}, // the same path in two spellings
		{"/a%2Fb", "/a/b", false},
		{"/a%2Fb", "/a%2fb", true},
		{"a.com/x", "b.com/x", false},
		{"a.com/x", "A.com./x", true},
		{"{h}.com/x", "{i}.com/x", true},
		{"{h}.com/x", "{h...}.com/x", false},
		{"{h}.com/x", "/x", false},
	} {
		var b routes[int]
		if err := addPattern(t, &b, c.first, 1, 0); err != nil {
			t.Fatal(err)
		}
		err := addPattern(t, &b, c.second, 2, 0)
		if (err != nil) != c.conflict || err != nil && !strings.Contains(err.Error(), c.first) {
			t.Errorf("%q and %q: %v, want a conflict: %v", c.first, c.second, err, c.conflict)
		}
	}
}
