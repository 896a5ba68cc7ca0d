package pattern

import (
	"testing"
)

func TestHost(t *testing.T) {
	for _, c := range [][3]string{ // host, Host(host), HostPort(host)
		{"", "", ""}, {"example.com", "example.com", "example.com"}, {"EXAMPLE.com.", "example.com", "example.com"},
		{"example.com:80", "example.com", "example.com:80"}, {"Example.com.:80", "example.com", "example.com:80"}, {"example.com:", "example.com", "example.com:"},
		{"[::1]", "::1", "::1"}, {"[::1]:80", "::1", "::1:80"}, {"::1", "::1", "::1"}, {"[]", "[]", "[]"}, {".", ".", "."}, {":80", "", ":80"}, {"\u212Aelvin", "\u212Aelvin", "\u212Aelvin"},
	} {
		if host, port := Host(c[0]), HostPort(c[0]); host != c[1] || port != c[2] {
			t.Errorf("Host(%q) = %q, HostPort %q, want %q and %q", c[0], host, port, c[1], c[2])
		}
	}
	if n := testing.AllocsPerRun(100, func() { Host("example.com.:80") }); n > 0 {
		t.Errorf("Host allocates %v times", n)
	}
}
