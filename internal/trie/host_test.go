package trie

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// TestHostOrder checks the order in which hosts are tried: exact hosts first,
// then those with more literal labels, then those with more labels, then by
// label from the left: literal, single label, several labels.
func TestHostOrder(t *testing.T) {
	hosts := []string{
		"a.b.example.com",
		"a.b.{h}.com", "a.{h}.example.com", "{h}.b.example.com", "{h...}.b.example.com",
		"a.{h}.{i}.com", "{h}.b.{i}.com", "{h}.{i}.example.com", "{h...}.{i}.example.com", "{h...}.example.com",
		"{h}.{i}.{j}.com", "{h}.{i}.{j...}", "{h...}.{i}.{j}.com", "{h...}.{i}.com", "{h...}.com",
		"{h}.{i}.{j}.{k}", "{h...}.{i}", "{h...}",
		"",
	}
	var valid []string
	for _, host := range hosts {
		if _, err := pattern.Parse(host + "/x"); err == nil { // {j...} is valid only as the first label
			valid = append(valid, host)
		}
	}
	if len(valid) != len(hosts)-1 {
		t.Fatalf("%d of %d hosts are valid", len(valid), len(hosts))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for first := range valid {
		var b routes[int]
		for _, i := range rng.Perm(len(valid) - first) {
			b.register(valid[first+i] + "/x")
		}
		table := b.Build()
		s := Search[int]{Method: GET}
		s.SetPath("/x", "", false)
		s.Fit(table)
		rt := table.Find(&s, "A.b.example.com:8080")
		if rt == nil || strings.TrimSuffix(rt.Pattern, rt.Path()) != valid[first] {
			t.Errorf("of %q: %v", valid[first:], rt)
		}
	}
}
