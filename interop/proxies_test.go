package interop

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deployFile returns the name of a copy of a file in examples/deploy, with
// substitutions, all of which must match.
func deployFile(t *testing.T, name string, oldnew ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../examples/deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(text, oldnew[i]) {
			t.Fatalf("%s has no %q", name, oldnew[i])
		}
		text = strings.ReplaceAll(text, oldnew[i], oldnew[i+1])
	}
	return text
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// haproxyDefaults is the beginning of configurations of HAProxy.
const haproxyDefaults = "defaults\n\tmode http\n\ttimeout connect 5s\n\ttimeout client 1m\n\ttimeout server 1m\n"

// launchProxy starts a proxy and waits until it accepts connections at the
// addresses. In its configuration, $dir becomes a temporary directory.
func launchProxy(t *testing.T, program, config string, addrs ...string) {
	t.Helper()
	dir := t.TempDir()
	file := writeFile(t, filepath.Join(dir, "config.yaml"), strings.ReplaceAll(config, "$dir", dir))
	cmd := exec.Command(program, map[string][]string{
		"nginx":   {"-e", "stderr", "-c", file},
		"haproxy": {"-db", "-f", file},
		"caddy":   {"run", "--adapter", "caddyfile", "--config", file},
		"envoy":   {"--disable-hot-restart", "--concurrency", "1", "--log-level", "error", "--config-path", file},
	}[program]...)
	cmd.Env = append(cmd.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir) // for Caddy
	launch(t, cmd)
	for _, addr := range addrs {
		eventually(t, program+" accepts connections", func() bool {
			c, err := net.Dial("tcp", addr)
			return err == nil && c.Close() == nil
		})
	}
}

// The source addresses of the proxies in the tests.
const nginxSource, haproxySource = "127.0.0.3", "127.0.0.4"

// startNginx starts nginx in front of two servers, with the configuration in
// examples/deploy, and returns its address.
func startNginx(t *testing.T, a, b string) string {
	t.Helper()
	addr := freeAddr(t)
	launchProxy(t, "nginx", deployFile(t, "nginx.conf",
		"/run/nginx.pid", "$dir/pid",
		"worker_processes auto", "worker_processes 1; daemon off",
		"listen 80", "listen "+addr,
		"proxy_http_version 1.1", "proxy_http_version 1.1; proxy_bind "+nginxSource,
		"127.0.0.1:8081", a, "127.0.0.1:8082", b), addr)
	return addr
}

// A haproxy is a running HAProxy.
type haproxy struct{ addr, socket string }

// startHAProxy starts HAProxy in front of two servers, with the configuration
// in examples/deploy but health checks every 200 ms.
func startHAProxy(t *testing.T, a, b string) haproxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "haproxy") // short: a Unix socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := haproxy{freeAddr(t), filepath.Join(dir, "admin")}
	launchProxy(t, "haproxy", deployFile(t, "haproxy.cfg",
		"/run/haproxy/admin.sock", h.socket,
		"bind :80", "bind "+h.addr,
		"inter 1s", "inter 200ms",
		"balance roundrobin", "balance roundrobin\n\tsource "+haproxySource,
		"127.0.0.1:8081", a, "127.0.0.1:8082", b))
	eventually(t, "HAProxy finds both servers ready", func() bool { return h.up() == 2 })
	return h
}

// up returns the number of servers to which HAProxy sends requests.
func (h haproxy) up() int {
	c, err := net.Dial("unix", h.socket)
	if err != nil {
		return 0
	}
	defer c.Close()
	io.WriteString(c, "show stat\n")
	table, _ := io.ReadAll(c)
	count := 0
	for line := range strings.Lines(string(table)) {
		// The fields contain the server's name and its state. The state isn't
		// just UP while the server is going down or coming up. Before the first
		// check, it is UP as well, so the result of the last one counts too.
		f := strings.Split(line, ",")
		if len(f) > 36 && f[0] == "quickstart" && f[1] != "BACKEND" && f[17] == "UP" && strings.HasSuffix(f[36], "L7OK") {
			count++
		}
	}
	return count
}
