package middleware_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

func ExampleRealIPFrom() {
	loadBalancers := netip.MustParsePrefix("203.0.113.0/24")
	h := middleware.RealIPFrom(loadBalancers)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		fmt.Println(host)
	}))
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Forwarded-For", "6.6.6.6, 198.51.100.7") // the first was there when the request came to the load balancer
	r.RemoteAddr = "203.0.113.9:4711"
	h.ServeHTTP(httptest.NewRecorder(), r)
	r.RemoteAddr = "192.0.2.1:4711" // past the load balancer
	h.ServeHTTP(httptest.NewRecorder(), r)
	// Output:
	// 198.51.100.7
	// 192.0.2.1
}

// remoteAddr returns the r.RemoteAddr of a handler wrapped in m. Headers are
// "Name: value" lines.
func remoteAddr(m mw, peer string, headers ...string) (got string) {
	r := get("/")
	r.RemoteAddr = peer
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	serve(m(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.RemoteAddr })), r)
	return got
}

func TestRealIPPeers(t *testing.T) {
	one := middleware.RealIPFrom(netip.MustParsePrefix("203.0.113.9/32"), netip.MustParsePrefix("2001:db8:1::/48"), netip.MustParsePrefix("fe80::/10"))
	mapped := middleware.RealIPFrom(netip.MustParsePrefix("::ffff:203.0.113.0/120"))
	for _, tt := range []struct {
		name    string
		m       mw
		trusted bool
		peers   []string
	}{
		{"RealIP", middleware.RealIP, true, []string{
			"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "10.1.2.3:1", "172.16.0.1:1", "172.31.255.255:1", "192.168.0.1:1", "[fd00::1]:1", "[::ffff:10.0.0.1]:1"}},
		{"RealIP", middleware.RealIP, false, []string{
			"172.32.0.1:1", "11.0.0.1:1", "192.0.2.1:1", "100.64.0.1:1", "169.254.1.1:1", "[::ffff:192.0.2.1]:1", "[2001:db8::1]:1",
			"[fe80::1%eth0]:1", "[::1%lo]:1", "[fd00::1%eth0]:1", "[::ffff:10.0.0.1%eth0]:1", "@", "", "/run/client.sock", "127.0.0.1", "localhost:1", "::1:1"}},
		{"RealIPFrom()", middleware.RealIPFrom(), false, []string{"127.0.0.1:1"}},
		{"RealIPFrom", one, true, []string{"203.0.113.9:1", "[::ffff:203.0.113.9]:1", "[2001:db8:1::5]:1", "[fe80::1]:1"}},
		{"RealIPFrom", one, false, []string{"203.0.113.10:1", "127.0.0.1:1", "10.0.0.1:1", "[2001:db8:2::5]:1", "[fe80::1%eth0]:1"}},
		{"RealIPFrom mapped", mapped, true, []string{"203.0.113.9:1", "[::ffff:203.0.113.9]:1"}},
		{"RealIPFrom mapped", mapped, false, []string{"203.0.114.9:1"}},
	} {
		for _, peer := range tt.peers {
			for _, header := range []string{"X-Forwarded-For: 198.51.100.7", "Forwarded: for=198.51.100.7", "X-Real-IP: 198.51.100.7"} {
				want := peer
				if tt.trusted {
					want = "198.51.100.7:0"
				}
				if got := remoteAddr(tt.m, peer, header); got != want {
					t.Errorf("%s: peer %q with %s: %q, want %q", tt.name, peer, header, got, want)
				}
			}
			if got := remoteAddr(tt.m, peer); got != peer {
				t.Errorf("%s: peer %q without headers: %q", tt.name, peer, got)
			}
		}
	}
}

// TestRealIPHeaders sends headers from a trusted peer; "" means that RemoteAddr
// doesn't change.
func TestRealIPHeaders(t *testing.T) {
	long := strings.Repeat("6.6.6.6, ", 1000)
	type row struct {
		headers []string
		want    string
	}
	rows := []row{
		// several lines are one list
		{[]string{"X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 198.51.100.7"}, "198.51.100.7:0"},
		{[]string{"X-Forwarded-For: 6.6.6.6, 198.51.100.7", "X-Forwarded-For: 10.0.0.2"}, "198.51.100.7:0"}, // nginx, then HAProxy
		{[]string{"X-Forwarded-For: garbage", "X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: 10.0.0.2, 10.0.0.3"}, "198.51.100.7:0"},
		{[]string{"X-Forwarded-For: 10.0.0.4", "X-Forwarded-For: 10.0.0.2"}, ""},
		{[]string{"X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: garbage"}, ""},
		{[]string{"X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: "}, ""},
		{[]string{"X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: , 10.0.0.2"}, ""},
		// long
		{[]string{"X-Forwarded-For: " + long, "X-Forwarded-For: 198.51.100.7"}, "198.51.100.7:0"},
		{[]string{"X-Forwarded-For: 198.51.100.7" + strings.Repeat(", 10.0.0.1", 20), "X-Forwarded-For: 10.0.0.1" + strings.Repeat(", 10.0.0.1", 20)}, ""},
		// Forwarded
		{[]string{"Forwarded: for=6.6.6.6, for=198.51.100.7", "Forwarded: for=10.0.0.2"}, "198.51.100.7:0"},
		{[]string{"Forwarded: for=198.51.100.7", "Forwarded: for=unknown"}, ""},
		// X-Real-IP
		{[]string{"X-Real-IP: 198.51.100.7", "X-Real-IP: 198.51.100.7"}, ""},
		// the first existing header decides, even if it is rejected
		{[]string{"X-Real-IP: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-Forwarded-For: 198.51.100.7"}, "198.51.100.7:0"},
		{[]string{"X-Real-IP: 6.6.6.6", "Forwarded: for=198.51.100.7"}, "198.51.100.7:0"},
		{[]string{"X-Real-IP: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-Forwarded-For: garbage"}, ""},
		{[]string{"X-Real-IP: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-Forwarded-For: "}, ""},
		{[]string{"X-Real-IP: 6.6.6.6", "Forwarded: for=unknown"}, ""},
		// similar names
		{[]string{"X_Forwarded_For: 6.6.6.6", "True-Client-IP: 6.6.6.6", "X-Client-IP: 6.6.6.6", "Client-IP: 6.6.6.6"}, ""},
	}
	for _, tt := range []struct {
		name, want string
		values     []string
	}{
		// X-Forwarded-For, from the right
		{"X-Forwarded-For", "198.51.100.7:0", []string{
			"198.51.100.7", "6.6.6.6, 198.51.100.7", "6.6.6.6,198.51.100.7,10.0.0.2,192.168.1.1", "127.0.0.1, 198.51.100.7",
			"garbage, 198.51.100.7", ", 198.51.100.7", " \t198.51.100.7\t ", "::ffff:198.51.100.7", "198.51.100.7, ::ffff:10.0.0.1"}},
		{"X-Forwarded-For", "198.51.100.7:4711", []string{"198.51.100.7:4711"}},
		{"X-Forwarded-For", "198.51.100.7:80", []string{"[::ffff:198.51.100.7]:80"}},
		{"X-Forwarded-For", "[2001:db8::7]:0", []string{"2001:db8::7", "[2001:db8::7]", "2001:DB8:0:0::7"}},
		{"X-Forwarded-For", "[2001:db8::7]:4711", []string{"[2001:db8::7]:4711"}},
		// all trusted, or no address
		{"X-Forwarded-For", "", []string{"10.0.0.5", "10.0.0.5, 127.0.0.1"}},
		// malformed entries
		{"X-Forwarded-For", "", []string{
			"", "198.51.100.7, garbage", "198.51.100.7, garbage, 10.0.0.1", "198.51.100.7, ", "198.51.100.7,,10.0.0.1",
			"198.51.100.7, unknown", "198.51.100.7 6.6.6.6", "198.51.100.07", "198.51.100", "198.51.100.256", "3325256711",
			"0xc6336407", "198.51.100.7/32", "0.0.0.0", "::", "198.51.100.7:", "198.51.100.7:0", "198.51.100.7:65536",
			"198.51.100.7:+1", "198.51.100.7:00x", "[198.51.100.7]", "[198.51.100.7:80]", "[198.51.100.7]:80", "[2001:db8::7",
			"2001:db8::7]", "[2001:db8::7]4711", "[2001:db8::7]:", "fe80::7%eth0", "::ffff:198.51.100.7%eth0", "[2001:db8::7%25eth0]",
			`"198.51.100.7"`, "198.51.100.7\n", "198.51.100.7\x00"}},
		// long
		{"X-Forwarded-For", "198.51.100.7:0", []string{
			long + "198.51.100.7", long + "198.51.100.7, 10.0.0.1", strings.Repeat("x", 1<<20) + ",198.51.100.7",
			"198.51.100.7" + strings.Repeat(", 10.0.0.1", 31)}},
		{"X-Forwarded-For", "", []string{"198.51.100.7" + strings.Repeat(", 10.0.0.1", 32)}},
		{"Forwarded", "198.51.100.7:0", []string{"for=198.51.100.7;host=\"" + strings.Repeat("h", 2000) + "\""}},
		// Forwarded
		{"Forwarded", "198.51.100.7:0", []string{
			"for=198.51.100.7", "FOR=198.51.100.7", `for="198.51.100.7"`,
			"proto=https;for=198.51.100.7;by=203.0.113.43;host=example.com", `for=198.51.100.7; proto=https ; host="example.com:80";`,
			"for=6.6.6.6, for=198.51.100.7", "for=198.51.100.7, for=10.0.0.1;proto=http", "for=unknown, for=198.51.100.7",
			`for="6.6.6.6, for=198.51.100.7`, // a quote left open by the client
			`for=6.6.6.6;x=", for=198.51.100.7`, `for=198.51.100.7;!zZ=!zZ;x=""`, "for=198.51.100.7;x=" + strings.Repeat("y", 1024)}},
		{"Forwarded", "198.51.100.7:4711", []string{`for="198.51.100.7:4711"`}},
		{"Forwarded", "[2001:db8::7]:0", []string{`for="[2001:db8::7]"`, `for=6.6.6.6;x=", for="[2001:db8::7]"`}},
		{"Forwarded", "[2001:db8::7]:4711", []string{`for="[2001:db8::7]:4711"`}},
		{"Forwarded", "", []string{
			"for=10.0.0.5", "", "for=", `for=""`, `for="`, "198.51.100.7", "by=198.51.100.7;proto=https", "for=unknown",
			"for=_hidden", "for=198.51.100.7, for=_SEVKISEK", `for="198.51.100.7:_port"`, "for=198.51.100.7:4711",
			"for=[2001:db8::7]", "for=2001:db8::7", `for="2001:db8::7"`, `for="[2001:db8::7%eth0]"`,
			`for="[::ffff:198.51.100.7%eth0]:80"`, "for=198.51.100.7;for=6.6.6.6", "for=unknown;for=198.51.100.7",
			`for="198.51.100.78`, "for =198.51.100.7", "for= 198.51.100.7", `for="198.51.100.7`, `for=198.51.100.7"`,
			`for="198.51\.100.7"`, "for=198.51.100.7;x", "for=198.51.100.7;x y=z", "for=198.51.100.7;x=\"\x00\"",
			`for=198.51.100.7;x="a"b"`, `for=198.51.100.7;host="a,b"`}},
		// X-Real-IP
		{"X-Real-IP", "198.51.100.7:0", []string{"198.51.100.7"}},
		{"X-Real-IP", "[2001:db8::7]:0", []string{"2001:db8::7"}},
		{"X-Real-IP", "", []string{"10.0.0.5", "6.6.6.6, 198.51.100.7", ",198.51.100.7", "garbage", "fe80::7%eth0"}},
	} {
		for _, value := range tt.values {
			rows = append(rows, row{[]string{tt.name + ": " + value}, tt.want})
		}
	}
	for _, tt := range rows {
		const peer = "127.0.0.1:1"
		want := tt.want
		if want == "" {
			want = peer
		}
		got := remoteAddr(middleware.RealIP, peer, tt.headers...)
		if got != want {
			t.Errorf("%.120q: %q, want %q", tt.headers, got, want)
		}
		if again := remoteAddr(func(h http.Handler) http.Handler { return middleware.RealIP(middleware.RealIP(h)) }, peer, tt.headers...); again != got {
			t.Errorf("%.120q: twice gives %q, once %q", tt.headers, again, got)
		}
		if _, _, err := net.SplitHostPort(got); err != nil {
			t.Errorf("%.120q: %v", tt.headers, err)
		}
		if got := remoteAddr(middleware.RealIP, "192.0.2.1:1", tt.headers...); got != "192.0.2.1:1" {
			t.Errorf("%.120q from an untrusted peer: %q", tt.headers, got)
		}
	}
}

// FuzzRealIPAppended checks that the entry appended by the trusted proxy is
// used, whatever the client has sent.
func FuzzRealIPAppended(f *testing.F) {
	for _, s := range []string{"", "6.6.6.6", "for=6.6.6.6", "for=\"", "x=\"", "\\", ";", "for=6.6.6.6;x=\"", "unknown", "[", "%", "\x00", "10.0.0.1", strings.Repeat("6.6.6.6, ", 200), strings.Repeat("for=10.0.0.1, ", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, client string) {
		for _, header := range []string{
			"X-Forwarded-For: " + client + ", 198.51.100.7",
			"X-Forwarded-For: " + client + ",198.51.100.7, 10.0.0.2",
			"Forwarded: " + client + ", for=198.51.100.7",
			"Forwarded: " + client + ", for=198.51.100.7;host=\"a:1\", for=\"[fd00::1]:5\"",
		} {
			if got := remoteAddr(middleware.RealIP, "127.0.0.1:1", header); got != "198.51.100.7:0" {
				t.Errorf("%q: %q", header, got)
			}
		}
		// Alone, it is either rejected or an untrusted address.
		for _, name := range []string{"X-Forwarded-For: ", "Forwarded: ", "X-Real-IP: "} {
			got := remoteAddr(middleware.RealIP, "127.0.0.1:1", name+client)
			if got == "127.0.0.1:1" {
				continue
			}
			addr, err := netip.ParseAddrPort(got)
			if err != nil || addr.Addr().IsPrivate() || addr.Addr().IsLoopback() || addr.Addr().Zone() != "" || addr.Addr().Is4In6() {
				t.Errorf("%s%q: %q (%v)", name, client, got, err)
			}
		}
	})
}

func TestRealIPFromRefusesPrefixes(t *testing.T) {
	wantPanic(t, `middleware: RealIPFrom: invalid prefix; create prefixes with netip.MustParsePrefix("10.0.0.0/8")`, func() { middleware.RealIPFrom(netip.Prefix{}) })
	wantPanic(t, "middleware: RealIPFrom: prefix ::ffff:0.0.0.0/95 contains IPv4 and IPv6 addresses; use one prefix for each", func() { middleware.RealIPFrom(netip.PrefixFrom(netip.MustParseAddr("::ffff:0.0.0.0"), 95)) })
}

// RealIP trusts private addresses, such as those of a proxy in the same cluster.
func ExampleRealIP() {
	h := middleware.RealIP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		fmt.Println(host)
	}))
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Forwarded-For", "198.51.100.7")
	r.RemoteAddr = "10.0.0.9:4711"
	h.ServeHTTP(httptest.NewRecorder(), r)
	// Output: 198.51.100.7
}
