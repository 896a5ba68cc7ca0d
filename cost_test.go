package muxmaster_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

// These tests limit the cost of requests. They compare the time with that of
// the same work on a smaller input, and use the minimum of several rounds.

// fastest returns the minimum times of a and b in interleaved rounds.
func fastest(rounds int, a, b func()) (ta, tb time.Duration) {
	ta, tb = time.Hour, time.Hour
	for range rounds {
		start := time.Now()
		a()
		ta = min(ta, time.Since(start))
		start = time.Now()
		b()
		tb = min(tb, time.Since(start))
	}
	return ta, tb
}

// linear reports whether large takes no more than twelve times as long as
// small, which does about the same work. Work that grows with the square of its
// size takes longer at each try; linear work does so only by chance, on a busy
// machine.
func linear(small, large func()) (ok bool, tSmall, tLarge time.Duration) {
	for range 20 {
		tSmall, tLarge = fastest(5, small, large)
		if tLarge <= 12*tSmall || tLarge <= time.Millisecond {
			return true, tSmall, tLarge
		}
	}
	return false, tSmall, tLarge
}

// discard is a ResponseWriter that keeps only the header.
type discard http.Header

func (d discard) Header() http.Header         { return http.Header(d) }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteString(s string) (int, error) {
	return len(s), nil
}
func (d discard) WriteHeader(int) {}

// A 405 runs each expression once, not once for each method.
func TestMethodNotAllowedRunsAnExpressionOnce(t *testing.T) {
	const custom = 243
	const expr = "[a-z0-9]*[^/]*q"
	long := strings.Repeat("a", 10_000) + "q"
	for name, c := range map[string]struct{ pattern, target string }{
		"one":  {"/x/{a:" + expr + "}", "/x/" + long + long},
		"two":  {"/x/{a:" + expr + "}/{b:" + expr + "}", "/x/" + long + "/" + long},
		"text": {"/x/v{a:" + expr + "}.x", "/x/v" + long + ".x"},
	} {
		few, many := muxmaster.New(), muxmaster.New()
		few.Handle("M0 "+c.pattern, tell(""))
		for i := range custom {
			many.Handle(fmt.Sprintf("M%d %s", i, c.pattern), tell(""))
		}
		for _, method := range []string{"GET", "BREW", "OPTIONS"} {
			r := request(t, method, c.target)
			want := 405
			if method == "OPTIONS" {
				want = 204
			}
			if a := ask(many, r); a.status != want || strings.Count(a.allow, ",") != custom {
				t.Fatalf("%s: %s: %d, %d methods allowed", name, method, a.status, strings.Count(a.allow, ","))
			}
			ok, tFew, tMany := linear(func() { few.ServeHTTP(discard{}, r) }, func() { many.ServeHTTP(discard{}, r) })
			if !ok {
				t.Errorf("%s: %s: with %d methods %v, with one %v", name, method, custom, tMany, tFew)
			}
		}
	}
}

// unclean returns paths of about n bytes that are redirected.
var unclean = map[string]func(n int) string{
	"slashes":        func(n int) string { return strings.Repeat("/", n) },
	"segments":       func(n int) string { return strings.Repeat("/a", n/2) + "//b" },
	"double slashes": func(n int) string { return strings.Repeat("//a", n/3) },
	"dots":           func(n int) string { return strings.Repeat("/.", n/2) + "/a" },
	"dot dots":       func(n int) string { return strings.Repeat("/..", n/3) },
	"ups and downs":  func(n int) string { return strings.Repeat("/a/..", n/5) + "/b" },
	"down, then up":  func(n int) string { return strings.Repeat("/a", n/5) + strings.Repeat("/..", n/5) },
	"escaped dots":   func(n int) string { return strings.Repeat("/%2e", n/4) + "/b" },
	"escaped slash":  func(n int) string { return strings.Repeat("/a%2Fb", n/6) + "//c" },
	"odd bytes":      func(n int) string { return strings.Repeat("/a|", n/3) + "//%2Fc" },
	"one segment":    func(n int) string { return "//" + strings.Repeat("a", n) },
	"trailing slash": func(n int) string { return "/one/" + strings.Repeat("a", n) + "/" },
	"to the tree":    func(n int) string { return "/tree/" + strings.Repeat("a", n) },
}

func costMux() *muxmaster.Mux {
	m := muxmaster.New()
	m.GET("/one/:a", tell(""))
	m.Handle("/tree/{a}/", tell(""))
	m.GET("/other/:a/*rest", tell(""))
	return m
}

// A redirect allocates memory proportional to the length of its path.
func TestRedirectAllocations(t *testing.T) {
	const n = 60_000
	m := costMux()
	for name, path := range unclean {
		r := request(t, "HEAD", path(n)) // a GET's answer has the path in its body, too
		a := ask(m, r)
		if a.status != 307 {
			t.Fatalf("%s: %s", name, a.brief())
		}
		var before, after runtime.MemStats
		const rounds = 20
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range rounds {
			m.ServeHTTP(discard{}, r)
		}
		runtime.ReadMemStats(&after)
		bytes := float64(after.TotalAlloc-before.TotalAlloc) / rounds / float64(max(len(r.RequestURI), len(a.location)))
		if bytes > 6 {
			t.Errorf("%s: %.1f bytes allocated for each byte of the path", name, bytes)
		}
	}
}

// Every response takes linear time.
func TestAnswersAreLinear(t *testing.T) {
	const n, factor = 4_000, 16
	m := costMux()
	paths := map[string]func(n int) string{
		"not found":        func(n int) string { return "/none" + strings.Repeat("/a", n/2) },
		"not found, long":  func(n int) string { return "/none/" + strings.Repeat("a", n) },
		"found":            func(n int) string { return "/one/" + strings.Repeat("a", n) },
		"rest":             func(n int) string { return "/other/1" + strings.Repeat("/a", n/2) },
		"escaped rest":     func(n int) string { return "/other/1" + strings.Repeat("/a%2Fb", n/6) },
		"dots in the rest": func(n int) string { return "/other/1" + strings.Repeat("/..%2F", n/6) },
	}
	for name, path := range unclean {
		paths[name] = path
	}
	for name, path := range paths {
		for _, method := range []string{"GET", "POST", "CONNECT"} {
			small, large := request(t, method, path(n)), request(t, method, path(n*factor))
			ok, tSmall, tLarge := linear(func() {
				for range factor { // as much in all
					m.ServeHTTP(discard{}, small)
				}
			}, func() { m.ServeHTTP(discard{}, large) })
			if !ok {
				t.Errorf("%s: %s: %d times %d bytes take %v, once %d bytes %v", name, method, factor, n, tSmall, n*factor, tLarge)
			}
		}
	}
}

// Many hosts with parameters, and hosts with many labels, also take linear
// time.
func TestHostsAreLinear(t *testing.T) {
	m := muxmaster.New()
	m.Handle("{s...}.example.com/x", tell(""))
	m.Handle("{s...}.a.example.com/x", tell(""))
	m.Handle("{a}.{b}.{c}.example.com/x", tell(""))
	for i := range 100 {
		m.Handle(fmt.Sprintf("{t}.h%d.example.com/x", i), tell(""))
	}
	host := func(labels int) *http.Request {
		r := request(t, "GET", "/x")
		r.Host = strings.Repeat("a.", labels) + "example.com"
		return r
	}
	const n, factor = 1000, 16
	small, large := host(n), host(n*factor)
	ok, tSmall, tLarge := linear(func() {
		for range factor {
			m.ServeHTTP(discard{}, small)
		}
	}, func() { m.ServeHTTP(discard{}, large) })
	if !ok {
		t.Errorf("%d times %d labels take %v, once %d labels %v", factor, n, tSmall, n*factor, tLarge)
	}
}

// A pattern takes linear time in the number of its parameters.
func TestPatternsAreLinear(t *testing.T) {
	const n, factor = 400, 64
	parse := func(n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "/{parameter%d}", i)
		}
		muxmaster.New().GET(b.String(), tell(""))
	}
	ok, tSmall, tLarge := linear(func() {
		for range factor {
			parse(n)
		}
	}, func() { parse(factor * n) })
	if !ok {
		t.Errorf("%d times %d parameters take %v, once %d %v", factor, n, tSmall, factor*n, tLarge)
	}
}
