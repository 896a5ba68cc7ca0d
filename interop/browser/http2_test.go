package browser

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/internal/steady"
)

// http2Page uses the service, and then tells it what came and over which
// protocol.
const http2Page = `<!doctype html><html lang="en"><head><title>x</title><link rel="icon" href="data:,"></head><body><script type="module">
const body = n => String.fromCharCode(97 + n % 26).repeat(1 + n * 2000)
const echoes = Promise.all([...Array(60).keys()].map(async n => {
	const r = await fetch("/echo/" + n, {method: "POST", body: body(n)})
	return r.ok && r.headers.get("X-Proto") == "HTTP/2.0" && await r.text() == body(n)
}))
const aborted = Promise.all([...Array(20).keys()].map(async n => {
	const stop = new AbortController()
	const r = await fetch("/endless?" + n, {signal: stop.signal})
	await r.body.getReader().read()
	stop.abort()
	return true
}))
const events = new Promise(done => {
	let text = ""
	const source = new EventSource("/events")
	source.onmessage = e => {
		if ((text += e.data) == "01234") { source.close(); done(text) }
	}
})
const socket = new Promise(done => {
	const s = new WebSocket("wss://" + location.host + "/socket"), got = []
	s.onopen = () => { for (let n = 0; n < 5; n++) s.send("m" + n) }
	s.onmessage = e => { if (got.push(e.data) == 5) s.close(1000) }
	s.onclose = e => done([...got, e.code, e.wasClean])
})
const all = [await echoes, await aborted].flat()
const protocols = new Set(performance.getEntriesByType("resource").map(e => e.nextHopProtocol).filter(p => p))
fetch("/result", {method: "POST", body: all.every(x => x) + " " + await events + " " + [...protocols] + " " + await socket})
</script></body></html>`

// TestHTTP2 loads a page over HTTP/2 from the engine: many requests at a time,
// uploads, canceled downloads, a stream of events and a WebSocket, all over one
// connection.
func TestHTTP2(t *testing.T) {
	for _, recycle := range []bool{false, true} {
		t.Run(fmt.Sprint("recycle=", recycle), func(t *testing.T) {
			var requests, canceled atomic.Int64
			result := make(chan string, 1)
			mux := muxmaster.New()
			mux.GET("/", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, http2Page)
			})
			mux.POST("/echo/:n", func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				w.Header().Set("X-Proto", r.Proto)
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				w.Write(body)
			})
			mux.GET("/endless", func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					io.WriteString(w, strings.Repeat("x", 10_000))
					http.NewResponseController(w).Flush()
				}
				canceled.Add(1)
			})
			mux.GET("/events", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for n := range 5 {
					fmt.Fprintf(w, "data: %d\n\n", n)
					http.NewResponseController(w).Flush()
					time.Sleep(10 * time.Millisecond)
				}
				<-r.Context().Done()
			})
			mux.CONNECT("/socket", func(w http.ResponseWriter, r *http.Request) { // echoes short messages (RFC 6455 section 5.2)
				head, control := make([]byte, 6), http.NewResponseController(w)
				for control.Flush(); ; control.Flush() {
					if _, err := io.ReadFull(r.Body, head); err != nil {
						t.Error(err)
						return
					}
					text := make([]byte, head[1]&0x7f)
					io.ReadFull(r.Body, text)
					for i := range text {
						text[i] ^= head[2+i%4]
					}
					w.Write(append([]byte{head[0], byte(len(text))}, text...))
					if head[0]&0xf == 8 { // close
						return
					}
				}
			})
			mux.POST("/result", func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				result <- string(b)
			})
			page := openEngine(t, mux, recycle)
			page.do(chromedp.Navigate(page.url))
			if got := steady.Receive(t, "the page's result", result); got != "true 01234 h2 m0,m1,m2,m3,m4,1000,true" {
				t.Errorf("got %q", got)
			}
			if n := requests.Load(); n != 60 {
				t.Errorf("%d requests, want 60", n)
			}
			steady.Until(t, patience, "20 handlers learn that their clients have left", func() bool { return canceled.Load() >= 20 })
		})
	}
}

// openEngine serves a handler with the engine over TLS and opens an empty tab.
func openEngine(t *testing.T, h http.Handler, recycle bool) *tab {
	t.Helper()
	certs := httptest.NewTLSServer(nil)
	certs.Close()
	s := engine.New(&http.Server{Handler: h, TLSConfig: &tls.Config{Certificates: certs.TLS.Certificates}})
	s.Recycle, s.EnableConnectProtocol = recycle, true
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.ServeTLS(ln, "", "")
	t.Cleanup(func() {
		s.Close()
		// The browser may open a second one in advance.
		if st := s.Stats(); st.HTTP2Connections < 1 || st.HTTP2Connections > 2 || st.HandedOver > 0 {
			t.Errorf("%d HTTP/2 connections, want 1 or 2: %+v", st.HTTP2Connections, st)
		}
	})
	return tabFor(t, "https://"+ln.Addr().String())
}
