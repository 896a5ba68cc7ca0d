package engine

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// clients are request heads of common clients and proxies. docs/engine.md lists
// which of them the engine serves itself.
var clients = []struct {
	name string
	why  reason // why it is passed to net/http, or noReason
	head string
}{
	{"Chrome", noReason, `GET /page?q=1 HTTP/1.1
Host: example.com
Connection: keep-alive
sec-ch-ua: "Chromium";v="129", "Not=A?Brand";v="8", "Google Chrome";v="129"
sec-ch-ua-mobile: ?0
sec-ch-ua-platform: "Linux"
Upgrade-Insecure-Requests: 1
User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36
Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8
Sec-Fetch-Site: none
Sec-Fetch-Mode: navigate
Sec-Fetch-User: ?1
Sec-Fetch-Dest: document
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9
Cookie: session=0123456789abcdef; _ga=GA1.1.1
`},
	{"Chrome, reload", noReason, "GET / HTTP/1.1\nHost: localhost:8080\nConnection: keep-alive\nPragma: no-cache\nCache-Control: no-cache\nAccept: */*\n"},
	{"Chrome, form upload", noReason, "POST /upload HTTP/1.1\nHost: h\nConnection: keep-alive\nContent-Length: 12345678\nContent-Type: multipart/form-data; boundary=----WebKitFormBoundary\nOrigin: http://h\n"},
	{"Chrome, CORS preflight", noReason, "OPTIONS /api HTTP/1.1\nHost: h\nConnection: keep-alive\nAccept: */*\nAccess-Control-Request-Method: PUT\nAccess-Control-Request-Headers: content-type\nOrigin: http://o\n"},
	{"Chrome, WebSocket", noReason, "GET /ws HTTP/1.1\nHost: h\nConnection: Upgrade\nPragma: no-cache\nCache-Control: no-cache\nUpgrade: websocket\nOrigin: http://h\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\n"},
	{"Firefox", noReason, "GET / HTTP/1.1\nHost: h\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0\nAccept: text/html\nAccept-Language: en-US,en;q=0.5\nAccept-Encoding: gzip, deflate\nDNT: 1\nSec-GPC: 1\nConnection: keep-alive\nPriority: u=0, i\n"},
	{"Firefox, WebSocket", noReason, "GET /ws HTTP/1.1\nHost: h\nConnection: keep-alive, Upgrade\nPragma: no-cache\nUpgrade: websocket\n"},
	{"Safari", noReason, "GET / HTTP/1.1\nHost: h\nUpgrade-Insecure-Requests: 1\nAccept: text/html\nUser-Agent: Mozilla/5.0 (Macintosh) Safari/605.1.15\nAccept-Language: en-GB,en;q=0.9\nAccept-Encoding: gzip, deflate\nConnection: keep-alive\n"},
	{"curl", noReason, "GET / HTTP/1.1\nHost: localhost:8080\nUser-Agent: curl/8.5.0\nAccept: */*\n"},
	{"curl -d", noReason, "POST / HTTP/1.1\nHost: h\nUser-Agent: curl/8.5.0\nAccept: */*\nContent-Length: 3\nContent-Type: application/x-www-form-urlencoded\n"},
	{"curl -d, more than 1 MB", noReason, "POST / HTTP/1.1\nHost: h\nUser-Agent: curl/8.5.0\nContent-Length: 2000000\nExpect: 100-continue\n"},
	{"curl -T -", noReason, "PUT / HTTP/1.1\nHost: h\nUser-Agent: curl/8.5.0\nTransfer-Encoding: chunked\nExpect: 100-continue\n"},
	{"Go", noReason, "GET / HTTP/1.1\nHost: h\nUser-Agent: Go-http-client/1.1\nAccept-Encoding: gzip\n"},
	{"Go, bytes.Reader", noReason, "POST / HTTP/1.1\nHost: h\nUser-Agent: Go-http-client/1.1\nContent-Length: 5\nAccept-Encoding: gzip\n"},
	{"Go, a stream", noReason, "POST / HTTP/1.1\nHost: h\nUser-Agent: Go-http-client/1.1\nTransfer-Encoding: chunked\nAccept-Encoding: gzip\n"},
	{"Go, httputil.ReverseProxy", noReason, "GET / HTTP/1.1\nHost: h\nUser-Agent: curl/8.5.0\nAccept: */*\nX-Forwarded-For: 10.0.0.1\nAccept-Encoding: gzip\n"},
	{"Java HttpClient", noReason, "GET / HTTP/1.1\nHost: h\nContent-Length: 0\nUser-Agent: Java-http-client/21.0.4\n"},
	{"Java HttpClient, offering h2c", noReason, "GET / HTTP/1.1\nConnection: Upgrade, HTTP2-Settings\nHost: h\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\nUpgrade: h2c\nUser-Agent: Java-http-client/21.0.4\n"},
	{"OkHttp", noReason, "GET / HTTP/1.1\nHost: h\nConnection: Keep-Alive\nAccept-Encoding: gzip\nUser-Agent: okhttp/4.12.0\n"},
	{"Apache HttpClient", noReason, "GET / HTTP/1.1\nHost: h\nConnection: Keep-Alive\nUser-Agent: Apache-HttpClient/4.5.14 (Java/17)\nAccept-Encoding: gzip,deflate\n"},
	{"Node, undici", noReason, "GET / HTTP/1.1\nhost: h\nconnection: keep-alive\naccept: */*\naccept-language: *\nsec-fetch-mode: cors\nuser-agent: node\naccept-encoding: gzip, deflate\n"},
	{"Node, http.request of a stream", noReason, "POST / HTTP/1.1\nHost: h\nConnection: keep-alive\nTransfer-Encoding: chunked\n"},
	{"Python requests", noReason, "GET / HTTP/1.1\nHost: h\nUser-Agent: python-requests/2.32.3\nAccept-Encoding: gzip, deflate\nAccept: */*\nConnection: keep-alive\n"},
	{"Python aiohttp", noReason, "GET / HTTP/1.1\nHost: h\nAccept: */*\nAccept-Encoding: gzip, deflate\nUser-Agent: Python/3.12 aiohttp/3.10\n"},
	{"wget", noReason, "GET / HTTP/1.1\nHost: h\nUser-Agent: Wget/1.21.4\nAccept: */*\nAccept-Encoding: identity\nConnection: Keep-Alive\n"},
	{"nginx, default settings", noReason, "GET / HTTP/1.0\nHost: h\nConnection: close\nUser-Agent: x\n"},
	{"nginx, keep-alive upstream", noReason, "GET / HTTP/1.1\nHost: h\nX-Real-IP: 10.0.0.1\nX-Forwarded-For: 10.0.0.1\nX-Forwarded-Proto: https\nUser-Agent: x\n"},
	{"HAProxy", noReason, "GET / HTTP/1.1\nhost: h\nuser-agent: x\naccept: */*\nx-forwarded-for: 10.0.0.1\n"},
	{"HAProxy, HTTP/2 upload", noReason, "POST / HTTP/1.1\nhost: h\ntransfer-encoding: chunked\n"},
	{"Envoy", noReason, "GET / HTTP/1.1\nhost: h\nuser-agent: x\nx-forwarded-proto: http\nx-request-id: 0f3c\nx-envoy-expected-rq-timeout-ms: 15000\n"},
	{"AWS load balancer", noReason, "GET / HTTP/1.1\nX-Forwarded-For: 10.0.0.1\nX-Forwarded-Proto: https\nX-Forwarded-Port: 443\nHost: h\nX-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678\nUser-Agent: x\n"},
	{"AWS load balancer, health check", noReason, "GET /health HTTP/1.1\nHost: 10.0.0.1:8080\nConnection: close\nUser-Agent: ELB-HealthChecker/2.0\nAccept-Encoding: gzip, compressed\n"},
	{"Kubernetes probe", noReason, "GET /healthz HTTP/1.1\nHost: 10.0.0.1:8080\nUser-Agent: kube-probe/1.31\nAccept: */*\nConnection: close\n"},
	{"Prometheus", noReason, "GET /metrics HTTP/1.1\nHost: h:9090\nUser-Agent: Prometheus/2.54.1\nAccept: text/plain;version=0.0.4;q=0.6\nAccept-Encoding: gzip\nX-Prometheus-Scrape-Timeout-Seconds: 10\n"},
	{"ApacheBench", noReason, "GET / HTTP/1.0\nConnection: Keep-Alive\nHost: h\nUser-Agent: ApacheBench/2.3\nAccept: */*\n"},
	{"Python urllib", noReason, "GET / HTTP/1.1\nAccept-Encoding: identity\nHost: h\nUser-Agent: Python-urllib/3.11\nConnection: close\n"},
	{"nginx, keep-alive upstream, unbuffered upload", noReason, "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\nUser-Agent: x\n"},
	{"curl --http2, offering h2c", noReason, "GET / HTTP/1.1\nHost: h\nUser-Agent: curl/8.5.0\nAccept: */*\nConnection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\n"},
	{"WebDAV clients", noReason, "PROPFIND /dav/ HTTP/1.1\nHost: h\nDepth: 1\nContent-Type: application/xml\nContent-Length: 100\n"},
	{"HTTP/2 with prior knowledge", reasonVersion, "PRI * HTTP/2.0\n\nSM\n"},
	{"clients of a forward proxy", reasonTarget, "GET http://example.com/ HTTP/1.1\nHost: example.com\nProxy-Connection: keep-alive\n"},
	{"Go, a stream with trailers", noReason, "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\nTrailer: X-Checksum\n"},
	{"wrk", noReason, "GET / HTTP/1.1\nHost: localhost:8080\n"},
}

var update = flag.Bool("update", false, "write the table of clients into docs/engine.md")

// TestClients checks which clients' requests the engine serves itself. It also
// checks the table in docs/engine.md; -update rewrites the table.
func TestClients(t *testing.T) {
	served := make(map[reason][]string)
	for _, c := range clients {
		h := new(head)
		h.reset()
		out, why := h.parse([]byte(strings.ReplaceAll(c.head, "\n", "\r\n") + "\r\n"))
		if why != c.why || out == complete != (c.why == noReason) {
			t.Errorf("%s: passed to net/http because of %q, want %q", c.name, why, c.why)
		}
		served[why] = append(served[why], c.name)
	}
	table := fmt.Sprintf("\n| served by | %d clients and proxies |\n|---|---|\n", len(clients))
	for why := range numReasons {
		by := "the engine"
		if why != noReason {
			by = "net/http: " + why.String()
		}
		if names := served[why]; len(names) > 0 {
			table += fmt.Sprintf("| %s | %s |\n", by, strings.Join(names, "; "))
		}
	}

	const file, begin, end = "../docs/engine.md", "<!-- clients: generated by go test -run TestClients -update ./engine -->", "<!-- end of clients -->"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table of clients", file)
	}
	if old == table {
		return
	}
	if !*update {
		t.Fatalf("the table of clients in %s is out of date; run go test -run TestClients -update ./engine", file)
	}
	if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
