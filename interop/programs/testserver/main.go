// Command testserver serves what the test suites in run.sh ask for.
//
//	go run ./testserver -server engine -files DIR -ready FILE
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	coder "github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/interop/openapi"
	"github.com/seed-1954dcaa/muxmaster/interop/programs/servers"
)

func main() {
	name := flag.String("server", "engine", "engine, recycle, server or net/http")
	addr := flag.String("addr", "127.0.0.1:0", "listen on `host:port`")
	files := flag.String("files", "", "serve the files of `directory` below /files/, and as an application below /app/")
	api := flag.Bool("openapi", false, "serve only the service of package openapi, whose document is /debug/routes/openapi.json")
	cert := flag.String("cert", "", "PEM `file` with certificate and key; enables TLS")
	useQUIC := flag.Bool("http3", false, "also serve HTTP/3, with -cert")
	flag.Parse()

	mux := muxmaster.New()
	mux.GET("/coder", echoCoder)
	mux.GET("/gorilla", echoGorilla)
	mux.HandleFunc("/exchange/{kind}", exchange)
	if *files != "" {
		mux.ServeFiles("/files/*filepath", os.DirFS(*files))
		mux.ServeSPA("/app", os.DirFS(*files))
	}
	if *api {
		mux = openapi.Service()
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	srv := &http.Server{Handler: mux, Protocols: protocols, ErrorLog: log.New(io.Discard, "", 0), ConnContext: countRequests}
	serving := servers.New(*name, srv)
	ln, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	ended := make(chan error, 1)
	h3 := new(http3.Server)
	if *useQUIC {
		if h3, err = serveHTTP3(ln.Addr().String(), *cert, mux); err != nil {
			log.Fatal(err)
		}
	}
	go func() {
		if *cert == "" {
			ended <- serving.Serve(ln)
			return
		}
		ended <- serving.ServeTLS(ln, *cert, *cert)
	}()
	fmt.Println(ln.Addr()) // the scripts read it
	select {
	case err = <-ended:
	case <-ctx.Done():
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		err = errors.Join(serving.Shutdown(ctx), h3.Shutdown(ctx))
	}
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

// serveHTTP3 serves as the recipe in docs/recipes.md does.
func serveHTTP3(addr, cert string, h http.Handler) (*http3.Server, error) {
	pair, err := tls.LoadX509KeyPair(cert, cert)
	if err != nil {
		return nil, err
	}
	udp, err := net.ListenPacket("udp", addr)
	if err != nil {
		return nil, err
	}
	s := &http3.Server{Handler: h, TLSConfig: http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{pair}})}
	s.ConnContext = func(ctx context.Context, _ *quic.Conn) context.Context { return countRequests(ctx, nil) }
	go s.Serve(udp)
	return s, nil
}

type requestsKey struct{}

// countRequests lets handlers count the requests of a connection.
func countRequests(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, requestsKey{}, new(atomic.Int64))
}

// exchange serves what clients have to understand besides plain responses.
func exchange(w http.ResponseWriter, r *http.Request) {
	switch r.PathValue("kind") {
	case "refuse": // before the body is read
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	case "echo":
		body, err := io.ReadAll(r.Body) // first, as some clients read no response before
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Write(body)
	case "trailers":
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Trailer", "X-Sum")
		io.WriteString(w, "trailer "+r.Trailer.Get("X-Sent"))
		w.Header().Set("X-Sum", "7")
	case "hints":
		w.Header().Set("Link", "</style.css>; rel=preload; as=style")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		io.WriteString(w, "page")
	case "shutdown": // begins while this response is being sent
		w.(http.Flusher).Flush()
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		time.Sleep(time.Second)
		io.WriteString(w, "the last response")
	case "count": // of this connection
		if n, ok := r.Context().Value(requestsKey{}).(*atomic.Int64); ok {
			fmt.Fprint(w, n.Add(1))
		}
	default:
		http.NotFound(w, r)
	}
}

// Both libraries leave it to the program to check UTF-8.

func echoCoder(w http.ResponseWriter, r *http.Request) {
	c, err := coder.Accept(w, r, &coder.AcceptOptions{CompressionMode: coder.CompressionContextTakeover, InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(-1)
	for {
		kind, data, err := c.Read(r.Context())
		if err != nil {
			return
		}
		if kind == coder.MessageText && !utf8.Valid(data) {
			c.Close(coder.StatusInvalidFramePayloadData, "")
			return
		}
		if c.Write(r.Context(), kind, data) != nil {
			return
		}
	}
}

func echoGorilla(w http.ResponseWriter, r *http.Request) {
	upgrader := gorilla.Upgrader{EnableCompression: true, CheckOrigin: func(*http.Request) bool { return true }}
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
		if kind == gorilla.TextMessage && !utf8.Valid(data) {
			c.WriteControl(gorilla.CloseMessage, gorilla.FormatCloseMessage(gorilla.CloseInvalidFramePayloadData, ""), time.Now().Add(time.Second))
			for err == nil { // closing with unread data would reset the connection
				_, _, err = c.ReadMessage()
			}
			return
		}
		if c.WriteMessage(kind, data) != nil {
			return
		}
	}
}
