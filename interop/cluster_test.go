package interop

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
)

// startServices starts the service in two processes and returns their
// addresses.
func startServices(t *testing.T) (a, b string) {
	t.Helper()
	redis := startRedis(t)
	var addrs []string
	for range 2 {
		addr := freeAddr(t)
		cmd := exec.Command(os.Args[0], addr)
		cmd.Env = append(os.Environ(), "INTEROP_SERVICE="+redis)
		launch(t, cmd)
		eventually(t, "the service is ready", answers(addr, "/readyz"))
		addrs = append(addrs, addr)
	}
	return addrs[0], addrs[1]
}

// TestProcessesShareSessionsAndLimits checks that two processes behind a proxy
// share sessions and rate limits.
func TestProcessesShareSessionsAndLimits(t *testing.T) {
	a, b := startServices(t)
	for name, addr := range map[string]string{"nginx": startNginx(t, a, b), "HAProxy": startHAProxy(t, a, b).addr} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, http.NewServeMux(), netHTTP) // for its client
			// Each proxy's test uses another address, because limits are per address.
			clientFrom(s, map[string]string{"nginx": "127.0.0.5", "HAProxy": "127.0.0.6"}[name])
			s.url = "http://" + addr
			s.wants("200", s.ask("POST", "/login/gopher", ""))
			processes := map[string]bool{}
			for range 10 {
				processes[s.get("200 gopher", "/whoami").Header.Get("X-Process")] = true
			}
			s.equal("processes that answered", len(processes), 2)
			for n := range limit {
				s.get(fmt.Sprint("200 ", n), fmt.Sprint("/limited/", n))
			}
			for range 4 {
				s.get("429 Too Many Requests", "/limited/more")
			}
		})
	}
}

// TestClientAddressBehindProxies checks that the service gets the client's
// address through no, one and two proxies, whatever headers the client sends.
func TestClientAddressBehindProxies(t *testing.T) {
	a, b := startServices(t)
	nginx, haproxy := startNginx(t, a, b), startHAProxy(t, a, b).addr
	for _, c := range []struct{ way, addr string }{
		{"no proxy", a},
		{"nginx", nginx},
		{"HAProxy", haproxy},
		{"nginx, then HAProxy", startNginx(t, haproxy, haproxy)},
		{"HAProxy, then nginx", startHAProxy(t, nginx, nginx).addr},
	} {
		s := newSite(t, http.NewServeMux(), netHTTP) // for its client
		clientFrom(s, "127.0.0.2")
		s.url = "http://" + c.addr
		for _, claim := range []string{"Accept: */*", "X-Forwarded-For: 192.0.2.9", "X-Forwarded-For: 192.0.2.9, 127.0.0.3", "Forwarded: for=192.0.2.9", "X-Real-IP: 192.0.2.9", "X-Forwarded-For: nonsense"} {
			if got := s.ask("GET", "/addr", "", claim); got.body != "127.0.0.2" {
				t.Errorf("%s, %s: got %s, want 127.0.0.2", c.way, claim, got.body)
			}
		}
	}
}

// clientFrom makes the site's client connect from an address.
func clientFrom(s *site, ip string) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	s.client.Transport.(*http.Transport).DialContext = dialer.DialContext
}
