package middleware_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// onEngine serves h with package engine and returns the address.
func onEngine(t *testing.T, h http.Handler) (address string, complaints *logBuffer) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	complaints = &logBuffer{}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	srv := engine.New(&http.Server{Handler: h, Protocols: protocols, ErrorLog: slog.NewLogLogger(complaints.logger().Handler(), slog.LevelError)})
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	t.Cleanup(func() {
		srv.Close()
		<-done
	})
	return ln.Addr().String(), complaints
}

// TestErrorResponsesOnTheEngine checks that error responses work with the
// writers of package engine, which the middleware asks for their state.
func TestErrorResponsesOnTheEngine(t *testing.T) {
	silence(t)
	for _, tt := range []struct {
		name string
		do   func(w http.ResponseWriter)
		code int
		body string
		cut  bool
	}{
		{"nothing sent", func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "gzip") }, 500, "Internal Server Error\n", false},
		{"early hints sent", func(w http.ResponseWriter) { w.WriteHeader(103) }, 500, "Internal Server Error\n", false},
		{"status sent", func(w http.ResponseWriter) { w.WriteHeader(202) }, 202, "", true},
		{"body sent", func(w http.ResponseWriter) { io.WriteString(w, "part") }, 200, "part", true},
		{"body flushed", func(w http.ResponseWriter) { io.WriteString(w, "part"); w.(http.Flusher).Flush() }, 200, "part", true},
	} {
		for _, how := range []struct {
			name string
			h    http.Handler
			cuts bool
		}{
			{"Recoverer", middleware.Recoverer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.do(w); panic("x") })), true},
			{"problem.Write", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.do(w); problem.Write(w, r, problem.Code(500)) }), false},
		} {
			address, complaints := onEngine(t, how.h)
			for _, http2 := range []bool{false, true} {
				transport := &http.Transport{DisableKeepAlives: true, Protocols: new(http.Protocols)}
				transport.Protocols.SetHTTP1(!http2)
				transport.Protocols.SetUnencryptedHTTP2(http2)
				resp, body, err := fetch(t, &http.Client{Transport: transport}, post(t, "http://"+address, nil))
				if resp.StatusCode != tt.code || body != tt.body || (err != nil) != (tt.cut && how.cuts) || resp.Header.Get("Content-Encoding") != "" {
					t.Errorf("HTTP/2 %v, %s, %s: %d %q, %v; want %d %q, cut off: %v", http2, tt.name, how.name, resp.StatusCode, body, err, tt.code, tt.body, tt.cut && how.cuts)
				}
				if s := complaints.String(); s != "" {
					t.Errorf("HTTP/2 %v, %s, %s: the engine says %s", http2, tt.name, how.name, s)
				}
			}
		}
	}
}
