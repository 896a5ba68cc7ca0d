package interop

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"

	coder "github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"
	"github.com/quic-go/quic-go/http3"
	r3labs "github.com/r3labs/sse/v2"
	"github.com/starfederation/datastar-go/datastar"
	tmaxmax "github.com/tmaxmax/go-sse"
	"golang.org/x/net/webdav"

	"github.com/seed-1954dcaa/muxmaster/internal/steady"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// upgrades is why a row runs only over HTTP/1.1.
const upgrades = "WebSockets upgrade an HTTP/1.1 connection; over HTTP/2 with a [recipe](recipes.md#websockets)"

var protocolRows = []row{
	{library: "github.com/coder/websocket", name: "coder/websocket", tried: "echo through `Logger` and `Recoverer` of this module; path values can be read as long as the handler runs", run: runCoderWebSocket, http1: upgrades},
	{library: "github.com/gorilla/websocket", name: "gorilla/websocket", tried: "concurrent echoes, path values, a rejected origin", run: runGorillaWebSocket, plain: true, http1: upgrades},
	{library: "github.com/r3labs/sse/v2", name: "r3labs/sse", tried: "server-sent events to a client of the same library, behind `Use` middleware", run: runR3labsSSE},
	{library: "github.com/tmaxmax/go-sse", name: "tmaxmax/go-sse", tried: "server-sent events, topic chosen by a path value", run: runTmaxmaxSSE, plain: true},
	{library: "github.com/starfederation/datastar-go", name: "datastar", tried: "patches streamed from a route with a path value", run: runDatastar, plain: true},
	{library: "github.com/quic-go/quic-go/http3", name: "quic-go HTTP/3", tried: "the router as the HTTP/3 server's handler: concurrent streams, path values, 404", run: runHTTP3, plain: true, ownServer: true},
	{library: "golang.org/x/net/webdav", name: "x/net/webdav", tried: "a share below `Mount`: MKCOL, PUT, PROPFIND, MOVE, DELETE, and its own OPTIONS responses", run: runWebDAV},
}

func runCoderWebSocket(s *site) {
	s.mux.Pre(middleware.LoggerWith(slog.New(slog.DiscardHandler)), middleware.Recoverer)
	s.mux.Use(middleware.RequestID, middleware.SetHeader("X-Through", "yes"))
	s.mux.GET("/rooms/:room", func(w http.ResponseWriter, r *http.Request) {
		c, err := coder.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		for {
			kind, data, err := c.Read(r.Context())
			if err != nil {
				return
			}
			if err := c.Write(r.Context(), kind, []byte(r.PathValue("room")+" "+string(data))); err != nil {
				return
			}
		}
	})
	s.start(s)
	s.concurrently(func(n int) {
		c, resp, err := coder.Dial(s.Context(), fmt.Sprint(s.url, "/rooms/", n), nil)
		if err != nil {
			s.Error(err)
			return
		}
		defer c.CloseNow()
		s.equal("header", resp.Header.Get("X-Through"), "yes")
		for range 3 {
			if err := c.Write(s.Context(), coder.MessageText, []byte("hello")); err != nil {
				s.Error(err)
				return
			}
			_, got, err := c.Read(s.Context())
			if err != nil {
				s.Error(err)
				return
			}
			s.equal("echo", string(got), fmt.Sprint(n, " hello"))
		}
		if err := c.Close(coder.StatusNormalClosure, ""); err != nil {
			s.Error(err)
		}
	})
	s.get("426 ...", "/rooms/7")
}

func runGorillaWebSocket(s *site) {
	upgrader := gorilla.Upgrader{}
	s.HandleFunc("GET /rooms/{room}", func(w http.ResponseWriter, r *http.Request) {
		c, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer c.Close()
		for {
			kind, data, err := c.ReadMessage()
			if err != nil {
				return
			}
			if err := c.WriteMessage(kind, []byte(r.PathValue("room")+" "+string(data))); err != nil {
				return
			}
		}
	})
	url := strings.Replace(s.start(s), "http", "ws", 1)
	s.concurrently(func(n int) {
		c, _, err := gorilla.DefaultDialer.Dial(fmt.Sprint(url, "/rooms/", n), nil)
		if err != nil {
			s.Error(err)
			return
		}
		defer c.Close()
		for range 3 {
			if err := c.WriteMessage(gorilla.TextMessage, []byte("hello")); err != nil {
				s.Error(err)
				return
			}
			_, got, err := c.ReadMessage()
			if err != nil {
				s.Error(err)
				return
			}
			s.equal("echo", string(got), fmt.Sprint(n, " hello"))
		}
	})
	_, resp, err := gorilla.DefaultDialer.Dial(url+"/rooms/7", http.Header{"Origin": {"https://evil.example.com"}})
	if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
		s.Errorf("a foreign origin: got %v, %v, want 403", resp, err)
	}
}

func runR3labsSSE(s *site) {
	events := r3labs.New()
	s.Cleanup(events.Close)
	events.CreateStream("news")
	s.mux.Use(middleware.RequestID, middleware.LoggerWith(slog.New(slog.DiscardHandler)))
	s.mux.Handle("GET /events", events)
	client := r3labs.NewClient(s.start(s) + "/events")
	client.Connection = s.client
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	got, done := make(chan *r3labs.Event, 10), make(chan error, 1)
	go func() {
		done <- client.SubscribeWithContext(ctx, "news", func(e *r3labs.Event) {
			select {
			case got <- e:
			default:
			}
		})
	}()
	for range 3 {
		events.Publish("news", &r3labs.Event{Data: []byte("hello")}) // also sent to later subscribers
	}
	for range 3 {
		s.equal("event", string(steady.Receive(s.T, "an event", got).Data), "hello")
	}
	cancel()
	<-done
}

func runTmaxmaxSSE(s *site) {
	replay, err := tmaxmax.NewFiniteReplayer(10, true)
	s.must(err)
	srv := &tmaxmax.Server{
		Provider: &tmaxmax.Joe{Replayer: replay},
		OnSession: func(w http.ResponseWriter, r *http.Request) ([]string, bool) {
			return []string{r.PathValue("topic")}, true
		},
	}
	s.Handle("GET /topics/{topic}", srv)
	s.start(s)
	for _, topic := range []string{"news", "other", "news"} {
		m := &tmaxmax.Message{}
		m.AppendData("for " + topic)
		s.must(srv.Publish(m, topic))
	}
	req, err := http.NewRequestWithContext(s.Context(), "GET", s.url+"/topics/news", nil)
	s.must(err)
	req.Header.Set("Last-Event-ID", "0")
	resp, err := s.client.Do(req)
	s.must(err)
	defer resp.Body.Close()
	for e, err := range tmaxmax.Read(resp.Body, nil) {
		s.must(err)
		s.equal("event", e.LastEventID+" "+e.Data, "2 for news")
		break
	}
	s.must(srv.Shutdown(s.Context()))
}

func runDatastar(s *site) {
	s.HandleFunc("GET /feed/{name}", func(w http.ResponseWriter, r *http.Request) {
		sse := datastar.NewSSE(w, r)
		for n := range 3 {
			if err := sse.PatchElements(fmt.Sprintf(`<p id="a">%s %d</p>`, r.PathValue("name"), n)); err != nil {
				s.Error(err)
			}
		}
	})
	s.start(s)
	resp, err := s.client.Get(s.url + "/feed/home")
	s.must(err)
	defer resp.Body.Close()
	var got []string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "data: elements "); ok {
			got = append(got, text)
		}
	}
	s.equal("patches", got, `[<p id="a">home 0</p> <p id="a">home 1</p> <p id="a">home 2</p>]`)
}

func runHTTP3(s *site) {
	s.HandleFunc("POST /{proto}/{n}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprint(w, r.Proto, " ", r.PathValue("n"), " ", string(body), " ", err)
	})
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	s.must(err)
	server, client := certificate(s)
	srv := &http3.Server{Handler: s, TLSConfig: http3.ConfigureTLSConfig(server)}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(conn) }()
	transport := &http3.Transport{TLSClientConfig: client}
	s.client.Transport = transport
	s.url = "https://" + conn.LocalAddr().String()
	s.Cleanup(func() {
		transport.Close()
		srv.Close()
		<-done
		conn.Close()
	})
	s.concurrently(func(n int) {
		s.wants(fmt.Sprintf("200 HTTP/3.0 %d hello <nil>", n), s.ask("POST", fmt.Sprint("/x/", n), "hello"))
	})
	s.get("404 ...", "/none")
	s.get("405 ...", "/x/7")
}

func runWebDAV(s *site) {
	s.mux.Mount("/share", &webdav.Handler{Prefix: "/share", FileSystem: webdav.NewMemFS(), LockSystem: webdav.NewMemLS()})
	s.mux.GET("/notes/:id", sayValue("id"))
	s.start(s)
	s.wants("201 Created", s.ask("MKCOL", "/share/docs", ""))
	s.wants("201 Created", s.ask("PUT", "/share/docs/a%20b.txt", "hello"))
	s.get("200 hello", "/share/docs/a%20b.txt")
	s.contains("PROPFIND", s.wants("207 ...", s.ask("PROPFIND", "/share/docs", "", "Depth: 1")).body, "<D:href>/share/docs/a%20b.txt</D:href>")
	s.wants("201 Created", s.ask("MOVE", "/share/docs/a%20b.txt", "", "Destination: "+s.url+"/share/c.txt"))
	s.wants("207 ...", s.ask("PROPFIND", "/share", "", "Depth: 0"))
	s.has(s.wants("200", s.ask("OPTIONS", "/share/c.txt", "")), "DAV", "1, 2")
	s.wants("204", s.ask("DELETE", "/share/c.txt", ""))
	s.get("200 7", "/notes/7")
	s.wants("405 ...", s.ask("PROPFIND", "/notes/7", ""))
}
