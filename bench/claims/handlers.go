package claims

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// This file has the claims about handlers and middleware.

func ok(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) }

func routing() Claim {
	std := http.NewServeMux()
	std.HandleFunc("GET /api/v1/users/{id}", ok)
	std.HandleFunc("POST /api/v1/users", ok)
	std.HandleFunc("GET /api/v1/orders/{id}", ok)
	std.HandleFunc("GET /health", ok)
	ours := muxmaster.New()
	ours.GET("/api/v1/users/:id", ok)
	ours.POST("/api/v1/users", ok)
	ours.GET("/api/v1/orders/:id", ok)
	ours.GET("/health", ok)
	return Claim{
		Number: 6, Title: "Routing with strings.HasPrefix", Page: 2.7, Ours: "muxmaster.New",
		Why: func(rows []Row) string {
			return fmt.Sprintf("against three comparisons, http.ServeMux is %s and ours is %s; in whole requests %s and %s. But the comparisons are wrong: they accept DELETE, and serve /admin/health-secrets as /health",
				faster(rows[0].Ratio), faster(rows[0].OursRatio), faster(rows[1].Ratio), faster(rows[1].OursRatio))
		},
		Cases: handlerCases("4 routes", "GET", nil,
			http.HandlerFunc(comparisons), std, ours),
	}
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

func headerLiteral() Claim {
	literal := func(req *http.Request, token string) {
		req.Header = http.Header{
			"Authorization": {"Bearer " + token},
			"X-Trace-Id":    {token},
			"Content-Type":  {"application/json"},
			"Accept":        {"application/json"},
		}
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
	return Claim{
		Number: 7, Title: "Headers as a map literal", Page: 1.8,
		Why: func(rows []Row) string {
			return fmt.Sprintf("Set allocates the same slice for each key and also canonicalizes the key: %.0f allocations before, %.0f after, and it is %s. Use Set because a literal can hold keys that Get never finds",
				rows[0].Before.Allocs, rows[0].After.Allocs, faster(rows[0].Ratio))
		},
		Cases: []Case{
			{"4 headers, request not sent", func(*World) Sides {
				keep := func(*http.Request) {}
				return Sides{Before: build(literal, keep), After: build(set, keep)}
			}},
			{"4 headers, whole request", func(w *World) Sides {
				c := w.defaultClient()
				addr := strings.TrimPrefix(w.serve(fixed("ok"), false, nil), "http://")
				send := func(req *http.Request) {
					req.URL.Host = addr
					read(c.Do(req))
				}
				return Sides{Before: build(literal, send), After: build(set, send)}
			}},
		},
	}
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

func dumpRequest() Claim {
	dumps := log.New(io.Discard, "", log.LstdFlags)
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		ok(w, r)
	})
	before := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dump, err := httputil.DumpRequest(r, true)
		if err == nil {
			dumps.Printf("req:\n%s", dump)
		}
		h.ServeHTTP(w, r)
	})
	after := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		sw := &statusWriter{ResponseWriter: w, status: 200}
		h.ServeHTTP(sw, r)
		logger.Info("http", "method", r.Method, "path", r.URL.Path, "status", sw.status, "bytes", sw.written, "dur_ms", time.Since(start).Milliseconds(), "remote", r.RemoteAddr)
	})
	ours := middleware.LoggerWith(logger)(h)
	return Claim{
		Number: 11, Title: "httputil.DumpRequest for logging", Page: 24, Ours: "middleware.Logger",
		Why: func(rows []Row) string {
			return fmt.Sprintf("the dump contains the whole body. 1 KB: %s, the handler alone is %s without it, the whole request %s; 100 KB: %s, %s and %s. It also prints the Authorization header. The page's statusWriter hides Flush, deadlines and sendfile; ours doesn't",
				garbageSaved(rows[0]), faster(rows[0].Ratio), faster(rows[1].Ratio), garbageSaved(rows[2]), faster(rows[2].Ratio), faster(rows[3].Ratio))
		},
		Cases: append(handlerCases("1 KB body", "POST", make([]byte, 1<<10), before, after, ours),
			handlerCases("100 KB body", "POST", make([]byte, 100<<10), before, after, ours)...),
	}
}

type reqIDKey struct{}

// inner is a variable to hide its value from the compiler. Otherwise the
// compiler would allocate the copy of the request on the stack, unlike in real
// middleware.
var inner http.Handler = http.HandlerFunc(ok)

func requestID() Claim {
	h := inner
	var counter atomic.Uint64
	return Claim{
		Number: 14, Title: "time.Now for request ids", Page: 4, Ours: "middleware.RequestID",
		Why: func(rows []Row) string {
			return fmt.Sprintf("both copy the request for another context, so the middleware as a whole is %s; ours keeps that copy on the stack and is %s. Times do collide, but the page's counter repeats after a restart and can be guessed; our IDs are random",
				faster(rows[0].Ratio), faster(rows[0].OursRatio))
		},
		Cases: handlerCases("middleware", "GET", nil,
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
			middleware.RequestID(h)),
	}
}
