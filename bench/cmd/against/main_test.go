package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new []float64 // ns
		want     bool
	}{
		{"the same", []float64{10, 10, 10, 10}, []float64{10, 10, 10, 10}, false},
		{"slower", []float64{10, 10, 10, 10}, []float64{11, 11, 11, 11}, true},
		{"slower by less than the limit", []float64{1000, 1000, 1000, 1000}, []float64{1010, 1010, 1010, 1010}, false},
		{"one lucky round", []float64{10, 10, 5, 10}, []float64{10, 10, 10, 10}, false},
		{"a slow spell", []float64{10, 10, 10, 10}, []float64{20, 20, 20, 10}, false},
		{"unknown to the old version", nil, []float64{20}, false},
	} {
		all := table{}
		for version, samples := range map[string][]float64{"old": tt.old, "new": tt.new} {
			for _, ns := range samples {
				all.add(version, strings.NewReader(fmt.Sprintf("BenchmarkA/b(1) 100 %v ns/op 16 B/op 1 allocs/op\n", ns)))
			}
		}
		var out strings.Builder
		if got := all.print(&out, 1.02); got != tt.want || strings.Contains(out.String(), "WORSE") != tt.want {
			t.Errorf("%s: got %v, want %v\n%s", tt.name, got, tt.want, &out)
		}
		if got := all.worse(1.02); got != "" != tt.want || tt.want && got != "^A$/^b\\(1\\)$" {
			t.Errorf("%s: worse returned %q", tt.name, got)
		}
	}
}
