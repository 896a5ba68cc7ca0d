package claims

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// This file has the claims about handlers, middleware and bodies.

// handler is a handler of the page's code, which must not fail.
func handler(f func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { must(f(w, r)) })
}

func encoder() []measured {
	type item struct { // 45 are about 5 KB of JSON
		ID    int      `json:"id"`
		Name  string   `json:"name"`
		Tags  []string `json:"tags"`
		Price float64  `json:"price"`
		Note  string   `json:"note"`
	}
	var items []item
	for i := range 45 {
		items = append(items, item{i, fmt.Sprint("item ", i), []string{"a", "b"}, 1.5 * float64(i), strings.Repeat("x", 40)})
	}
	return handlerCases("04 5 KB", "GET", nil,
		handler(func(w http.ResponseWriter, r *http.Request) error {
			data, err := json.Marshal(items)
			w.Header().Set("Content-Type", "application/json")
			w.Write(data)
			return err
		}),
		handler(func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("Content-Type", "application/json")
			return json.NewEncoder(w).Encode(items)
		}),
		handler(func(w http.ResponseWriter, r *http.Request) error { return body.WriteJSON(w, 200, items) }))
}

func bodyBuffer() []measured {
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	process := func(p []byte, _ [32]byte) error {
		if len(p) != 4<<10 {
			return errors.New("incomplete body")
		}
		return nil
	}
	return handlerCases("05 4 KB and SHA-256", "POST", make([]byte, 4<<10),
		handler(func(w http.ResponseWriter, r *http.Request) error {
			var buf bytes.Buffer
			_, err := io.Copy(&buf, r.Body)
			return errors.Join(err, process(buf.Bytes(), sha256.Sum256(buf.Bytes())))
		}),
		handler(func(w http.ResponseWriter, r *http.Request) error {
			buf := pool.Get().(*bytes.Buffer)
			buf.Reset()
			defer pool.Put(buf)
			_, err := io.Copy(buf, r.Body)
			return errors.Join(err, process(buf.Bytes(), sha256.Sum256(buf.Bytes())))
		}),
		handler(func(w http.ResponseWriter, r *http.Request) error {
			return body.WithBody(w, r, 1<<20, func(p []byte) error { return process(p, sha256.Sum256(p)) })
		}))
}

func ok(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) }

func routing() []measured {
	std, ours := http.NewServeMux(), muxmaster.New()
	for _, pattern := range []string{"GET /api/v1/users/{id}", "POST /api/v1/users", "GET /api/v1/orders/{id}", "GET /health"} {
		std.HandleFunc(pattern, ok)
		ours.HandleFunc(pattern, ok)
	}
	return handlerCases("06 4 routes", "GET", nil, http.HandlerFunc(comparisons), std, ours)
}

// comparisons is the router from the page.
func comparisons(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/v1/users/"):
		ok(w, r)
	case strings.HasPrefix(r.URL.Path, "/api/v1/orders/"):
		ok(w, r)
	case strings.Contains(r.URL.Path, "/health"):
		ok(w, r)
	default:
		http.NotFound(w, r)
	}
}

func headerLiteral() []measured {
	literal := func(req *http.Request, token string) {
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "X-Trace-Id": {token}, "Content-Type": {"application/json"}, "Accept": {"application/json"}}
	}
	set := func(req *http.Request, token string) {
		h := req.Header
		h.Set("Authorization", "Bearer "+token)
		h.Set("X-Trace-Id", token)
		h.Set("Content-Type", "application/json")
		h.Set("Accept", "application/json")
	}
	build := func(fill func(*http.Request, string), send func(*http.Request)) func(int) {
		return times(func() {
			req := must1(http.NewRequest("POST", "http://127.0.0.1/", nil))
			fill(req, "token")
			send(req)
		})
	}
	return []measured{
		{"07 4 headers, request not sent", func(*world) sides {
			keep := func(*http.Request) {}
			return sides{before: build(literal, keep), after: build(set, keep)}
		}},
		{"07 4 headers, whole request", func(w *world) sides {
			c := w.defaultClient()
			addr := strings.TrimPrefix(w.serve(fixed("ok"), false, nil), "http://")
			send := func(req *http.Request) {
				req.URL.Host = addr
				read(c.Do(req))
			}
			return sides{before: build(literal, send), after: build(set, send)}
		}},
	}
}

// pagesLines is the loop from the page.
func pagesLines(br *bufio.Reader, use func(string)) error {
	for {
		line, err := br.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		use(line)
	}
}

func lineReader() []measured {
	pool := sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4096) }}
	var seen int
	lines := func(br *bufio.Reader) error { return pagesLines(br, func(line string) { seen += len(line) }) }
	before := handler(func(w http.ResponseWriter, r *http.Request) error { return lines(bufio.NewReader(r.Body)) })
	after := handler(func(w http.ResponseWriter, r *http.Request) error {
		br := pool.Get().(*bufio.Reader)
		br.Reset(r.Body)
		defer pool.Put(br)
		return lines(br)
	})
	ours := handler(func(w http.ResponseWriter, r *http.Request) error {
		for line, err := range body.Lines(r.Body, 0) {
			if err != nil {
				return err
			}
			seen += len(line)
		}
		return nil
	})
	line := []byte(strings.Repeat("x", 39) + "\n")
	return append(handlerCases("08 1 line", "POST", line, before, after, ours),
		handlerCases("08 100 lines", "POST", bytes.Repeat(line, 100), before, after, ours)...)
}

// statusWriter is the type from the page.
type statusWriter struct {
	http.ResponseWriter
	status, written int
}

func (s *statusWriter) WriteHeader(c int) { s.status = c; s.ResponseWriter.WriteHeader(c) }
func (s *statusWriter) Write(b []byte) (int, error) {
	n, e := s.ResponseWriter.Write(b)
	s.written += n
	return n, e
}

func dumpRequest() []measured {
	dumps := log.New(io.Discard, "", log.LstdFlags)
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	h := handler(func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.Copy(io.Discard, r.Body)
		ok(w, r)
		return err
	})
	before := handler(func(w http.ResponseWriter, r *http.Request) error {
		dump, err := httputil.DumpRequest(r, true)
		dumps.Printf("req:\n%s", dump)
		h.ServeHTTP(w, r)
		return err
	})
	after := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		sw := &statusWriter{ResponseWriter: w, status: 200}
		h.ServeHTTP(sw, r)
		logger.Info("http", "method", r.Method, "path", r.URL.Path, "status", sw.status, "bytes", sw.written, "dur_ms", time.Since(start).Milliseconds(), "remote", r.RemoteAddr)
	})
	ours := middleware.LoggerWith(logger)(h)
	return append(handlerCases("11 1 KB body", "POST", make([]byte, 1<<10), before, after, ours),
		handlerCases("11 100 KB body", "POST", make([]byte, 100<<10), before, after, ours)...)
}

type reqIDKey struct{}

// inner is a variable to hide its value from the compiler. Otherwise the
// compiler would allocate the copy of the request on the stack, unlike in real
// middleware.
var inner http.Handler = http.HandlerFunc(ok)

func requestID() []measured {
	h := inner
	var counter atomic.Uint64
	return handlerCases("14 middleware", "GET", nil,
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := strconv.FormatInt(time.Now().UnixNano(), 10)
			//lint:ignore SA1029 copied from the page
			ctx := context.WithValue(r.Context(), "reqID", id)
			h.ServeHTTP(w, r.WithContext(ctx))
		}),
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := strconv.FormatUint(counter.Add(1), 36)
			ctx := context.WithValue(r.Context(), reqIDKey{}, id)
			h.ServeHTTP(w, r.WithContext(ctx))
		}),
		middleware.RequestID(h))
}
