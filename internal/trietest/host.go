package trietest

import (
	"regexp"
	"slices"
	"strings"
)

// hostShape returns a host without the names of its parameters.
func hostShape(written string) string { return hostParam.ReplaceAllString(written, "{") }

var hostParam = regexp.MustCompile(`\{[a-z]+`)

// HostValues returns the values with which a route's host matches that of a
// request. "" matches every host, {h} one label, and {h...} as the first label
// one or more.
func HostValues(written, host string) (vals []string, ok bool) {
	if written == "" {
		return nil, true
	}
	host, _, _ = strings.Cut(host, ":")
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	want := strings.Split(written, ".")
	if strings.HasPrefix(written, "{h...}") {
		want = strings.Split(strings.TrimPrefix(written, "{h...}."), ".")
		n := len(labels) - len(want)
		if n < 1 || slices.Contains(labels[:n], "") {
			return nil, false
		}
		vals, labels = []string{strings.Join(labels[:n], ".")}, labels[n:]
	}
	if len(labels) != len(want) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case w[0] != '{' && w != labels[i], labels[i] == "":
			return nil, false
		case w[0] == '{':
			vals = append(vals, labels[i])
		}
	}
	return vals, true
}

// HostRank returns the precedence of a host: first hosts without parameters,
// then those with more literal labels, then none.
func HostRank(written string) int {
	switch {
	case written == "":
		return 1 << 10
	case !strings.Contains(written, "{"):
		return 0
	}
	literals := 0
	for _, w := range strings.Split(strings.ReplaceAll(written, "{h...}", "{h}"), ".") {
		if w[0] != '{' {
			literals++
		}
	}
	return 1<<9 - literals
}
