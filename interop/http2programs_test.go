package interop

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop"
	"google.golang.org/grpc/interop/grpc_testing"
)

// need skips the test if a program is missing. CI has all.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

// run runs a program and returns its output.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// startEcho serves requests over HTTP/2, with or without TLS, and returns its
// URL. The response is the request's body, or 100 KB of text. It has no
// trailers: HAProxy 2.6 then ends the connection to the server, any server, if
// a client is slow.
func startEcho(t *testing.T, srv server, overTLS bool) string {
	s := newSite(t, http.NewServeMux(), srv)
	text := strings.Repeat("0123456789", 10_000)
	s.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("%s %s over %s", r.Method, r.URL, r.Proto)
		}
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		if r.Method == http.MethodGet {
			body = []byte(text)
		}
		w.Write(body)
	})
	return s.start(s, func(srv *http.Server) {
		withH2C(srv)
		if overTLS {
			srv.TLSConfig, _ = certificate(s)
			srv.Protocols.SetHTTP2(true)
		}
	})
}

// TestHTTP2Programs runs other HTTP/2 clients against the engine.
func TestHTTP2Programs(t *testing.T) {
	upload := strings.Repeat("upload ", 100_000)
	file := writeFile(t, filepath.Join(t.TempDir(), "upload"), upload)
	for _, srv := range servers[1:] {
		for _, overTLS := range []bool{false, true} {
			test := func(program string, f func(t *testing.T, url string)) {
				t.Run(fmt.Sprintf("%s/%s/tls=%t", program, srv.name, overTLS), func(t *testing.T) {
					need(t, program)
					t.Parallel()
					f(t, startEcho(t, srv, overTLS))
				})
			}
			test("curl", func(t *testing.T, url string) {
				version := "--http2-prior-knowledge"
				if overTLS {
					version = "--http2"
				}
				curl := func(args ...string) string {
					return run(t, "curl", append([]string{"--silent", "--no-progress-meter", "--show-error", "--insecure", version}, args...)...)
				}
				if got := curl("--data-binary", "@"+file, url); got != upload {
					t.Errorf("an upload: got %d bytes, want %d", len(got), len(upload))
				}
				if got := curl("--data-binary", "@"+file, "--header", "Expect: 100-continue", url); got != upload {
					t.Errorf("an upload with Expect: got %d bytes, want %d", len(got), len(upload))
				}
				if overTLS { // without TLS, curl 7.88 often discards the response, with net/http too
					got := curl("--data-binary", "@"+file, "--output", "/dev/null", "--write-out", "%{response_code}", url+"/refused")
					if got != "413" {
						t.Errorf("a refused upload: got %q, want 413", got)
					}
				}
				if got := curl("--head", url); !strings.HasPrefix(got, "HTTP/2 200") {
					t.Errorf("HEAD: got %q", got)
				}
				downloads := 50
				if !overTLS { // curl 7.88 can't do more, with net/http either
					downloads = 1
				}
				args := []string{"--parallel", "--write-out", "%{http_version} %{response_code} %{size_download}\n"}
				for n := range downloads {
					args = append(args, "--output", "/dev/null", fmt.Sprint(url, "/", n))
				}
				if got := curl(args...); got != strings.Repeat("2 200 100000\n", downloads) {
					t.Errorf("%d downloads: got %q", downloads, got)
				}
			})
			test("nghttp", func(t *testing.T, url string) {
				for _, args := range [][]string{
					{"--stat", "--multiply=50", url + "/a", url + "/b"},
					{"--stat", "--multiply=20", "--data=" + file, "--trailer=x-t: 1", url},
					{"--stat", "--expect-continue", "--data=" + file, url},
					{"--stat", "--no-dep", "--window-bits=10", "--connection-window-bits=12", "--padding=100", "--header-table-size=100", "--multiply=5", url},
				} {
					out := run(t, "nghttp", append([]string{"--null-out", "--no-verify-peer"}, args...)...)
					if ok, all := strings.Count(out, " 200 "), strings.Count(out, "\n  "); ok < 1 || strings.Contains(out, "some requests were not processed") {
						t.Errorf("%q: %d of %d responses\n%s", args, ok, all, out)
					}
				}
			})
			test("h2load", func(t *testing.T, url string) {
				for _, args := range [][]string{{"-n3000", "-c10", "-m100"}, {"-n300", "-c5", "-m20", "-w10", "-W12"}, {"-n200", "-c10", "-m10", "-d" + file}} {
					out := run(t, "h2load", append(args, url)...)
					if !succeeded.MatchString(out) {
						t.Errorf("%q: %s", args, out)
					}
				}
			})
		}
	}
}

// succeeded matches the output of h2load if all requests succeeded.
var succeeded = regexp.MustCompile(`(?m)^requests: (\d+) total.*, 0 failed, 0 errored, 0 timeout$`)

// http2Proxies are the configurations of proxies that speak HTTP/2 with clients
// and with the engine.
var http2Proxies = map[string]string{
	"nginx": `worker_processes 1; daemon off; error_log stderr crit; pid $dir/pid;
events {}
http {
	access_log off; client_body_temp_path $dir;
	upstream backend { server $backend; keepalive 16; }
	server {
		listen $addr http2;
		client_max_body_size 0;
		location / { grpc_pass grpc://backend; grpc_next_upstream off; }
	}
}
`,
	"haproxy": haproxyDefaults + `	http-reuse always
listen proxy
	bind $addr proto h2
	server engine $backend proto h2
`,
	"caddy": `{
	admin off
	auto_https off
	servers {
		protocols h1 h2c
	}
}
http://$addr {
	reverse_proxy h2c://$backend {
		flush_interval -1
	}
}
`,
	"envoy": `static_resources:
  listeners:
  - address: {socket_address: {address: 127.0.0.1, port_value: $addrPort}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: proxy
          codec_type: HTTP2
          route_config: {virtual_hosts: [{name: all, domains: ["*"], routes: [{match: {prefix: /}, route: {cluster: engine, timeout: 0s}}]}]}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
  clusters:
  - name: engine
    load_assignment: {cluster_name: engine, endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: $backendPort}}}}]}]}
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: {http2_protocol_options: {}}
`,
}

// TestHTTP2Proxies uses the engine behind proxies that speak HTTP/2 with it.
func TestHTTP2Proxies(t *testing.T) {
	for program, config := range http2Proxies {
		start := func(t *testing.T, url string) (addr string) {
			addr = freeAddr(t)
			backend := strings.TrimPrefix(url, "http://")
			port := func(addr string) string { return addr[strings.LastIndexByte(addr, ':')+1:] }
			launchProxy(t, program, strings.NewReplacer("$addrPort", port(addr), "$addr", addr, "$backendPort", port(backend), "$backend", backend).Replace(config), addr)
			return addr
		}
		t.Run(program+"/pages", func(t *testing.T) {
			need(t, program)
			t.Parallel()
			for _, srv := range servers[1:] {
				testPages(t, start(t, startEcho(t, srv, false)))
			}
		})
		t.Run(program+"/grpc-go", func(t *testing.T) {
			need(t, program)
			t.Parallel()
			srv := grpc.NewServer()
			grpc_testing.RegisterTestServiceServer(srv, interop.NewTestServer())
			t.Cleanup(srv.Stop)
			s := newSite(t, http.NewServeMux(), servers[1])
			testGRPC(t, start(t, s.start(srv, withH2C)))
		})
	}
}

// testPages sends requests of several clients through a proxy. Some clients
// leave early.
func testPages(t *testing.T, addr string) {
	t.Helper()
	for range 3 {
		s := newSite(t, http.NewServeMux(), netHTTP) // for its client
		s.useH2C()
		s.url = "http://" + addr
		s.concurrently(func(n int) {
			for k := range 10 {
				body := bytes.Repeat([]byte{byte('a' + n)}, 1+1000*k*k)
				s.wants("200 "+string(body), s.ask("POST", "/", string(body)))
				if a := s.ask("GET", "/", ""); a.StatusCode != http.StatusOK || len(a.body) != 100_000 {
					t.Errorf("GET: status %d, %d bytes", a.StatusCode, len(a.body))
				}
				resp, err := s.client.Get(s.url)
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			}
		})
	}
}

// testGRPC runs gRPC's interoperability tests. If one fails, it logs the reason
// and exits the test's process.
func testGRPC(t *testing.T, addr string) {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := grpc_testing.NewTestServiceClient(conn)
	interop.DoEmptyUnaryCall(t.Context(), client)
	interop.DoLargeUnaryCall(t.Context(), client)
	interop.DoClientStreaming(t.Context(), client)
	interop.DoServerStreaming(t.Context(), client)
	interop.DoPingPong(t.Context(), client)
	interop.DoEmptyStream(t.Context(), client)
	interop.DoCustomMetadata(t.Context(), client)
	interop.DoStatusCodeAndMessage(t.Context(), client)
	interop.DoSpecialStatusMessage(t.Context(), client)
	interop.DoCancelAfterBegin(t.Context(), client)
	interop.DoTimeoutOnSleepingServer(t.Context(), client)
}
