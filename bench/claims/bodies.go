package claims

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-1954dcaa/muxmaster/body"
)

// This file has the claims about reading, copying and encoding bodies.

func readAllProxy() Claim {
	measure := func(name string, size, quick int) Case {
		return Case{name, func(w *World) Sides {
			n := size
			if w.Quick {
				n = quick
			}
			chunk := make([]byte, min(n, 1<<20))
			up := w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Length", strconv.Itoa(n))
				for left := n; left > 0; left -= len(chunk) {
					rw.Write(chunk[:min(left, len(chunk))])
				}
			}), false, nil)
			upstream, c := w.defaultClient(), w.defaultClient()
			side := func(forward func(http.ResponseWriter, *http.Response) error) func(int) {
				url := w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					resp := must1(upstream.Get(up))
					defer resp.Body.Close()
					if forward(rw, resp) != nil {
						panic(http.ErrAbortHandler)
					}
				}), false, nil)
				return times(func() { read(c.Get(url)) })
			}
			return Sides{
				Before: side(func(w http.ResponseWriter, upstream *http.Response) error {
					p, err := io.ReadAll(upstream.Body)
					if err != nil {
						return err
					}
					w.WriteHeader(upstream.StatusCode)
					_, err = w.Write(p)
					return err
				}),
				After: side(func(w http.ResponseWriter, upstream *http.Response) error {
					w.WriteHeader(upstream.StatusCode)
					_, err := io.Copy(w, upstream.Body)
					return err
				}),
				Ours: side(func(w http.ResponseWriter, upstream *http.Response) error {
					w.Header().Set("Content-Length", strconv.FormatInt(upstream.ContentLength, 10))
					w.WriteHeader(upstream.StatusCode)
					_, err := body.Copy(w, upstream.Body)
					return err
				}),
			}
		}}
	}
	return Claim{
		Number: 2, Title: "io.ReadAll in a proxy", Page: 10, Ours: "body.Copy, body.Buffers for httputil.ReverseProxy",
		Why: func(rows []Row) string {
			return fmt.Sprintf("200 MB: %s, and copying is %s; 1 KB: %s, and %s. The page's io.Copy without a Content-Length makes a truncated response look complete",
				garbageSaved(rows[0]), faster(rows[0].Ratio), garbageSaved(rows[1]), faster(rows[1].Ratio))
		},
		Cases: []Case{measure("200 MB", 200<<20, 8<<20), measure("1 KB", 1<<10, 1<<10)},
	}
}

// 45 items are about 5 KB of JSON.
type item struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Tags  []string `json:"tags"`
	Price float64  `json:"price"`
	Note  string   `json:"note"`
}

func encoder() Claim {
	var items []item
	for i := range 45 {
		items = append(items, item{i, fmt.Sprint("item ", i), []string{"a", "b"}, 1.5 * float64(i), strings.Repeat("x", 40)})
	}
	return Claim{
		Number: 4, Title: "json.Marshal, then Write", Page: 1.6, Ours: "body.WriteJSON",
		Why: func(rows []Row) string {
			return fmt.Sprintf("the Encoder of encoding/json doesn't stream: it builds the whole text too and saves one copy: %s. The handler alone is %s, the whole request %s. A pooled buffer also saves that copy, and allows a 500 response if encoding fails",
				garbageSaved(rows[0]), faster(rows[0].Ratio), faster(rows[1].Ratio))
		},
		Cases: handlerCases("5 KB", "GET", nil,
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				data, err := json.Marshal(items)
				if err != nil {
					http.Error(w, err.Error(), 500)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.Write(data)
			}),
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				must(json.NewEncoder(w).Encode(items))
			}),
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { must(body.WriteJSON(w, 200, items)) })),
	}
}

func bodyBuffer() Claim {
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	process := func(p []byte, _ [32]byte) {
		if len(p) != 4<<10 {
			panic("claims: incomplete body")
		}
	}
	return Claim{
		Number: 5, Title: "A bytes.Buffer for each request's body", Page: 4, Ours: "body.WithBody",
		Why: func(rows []Row) string {
			return fmt.Sprintf("%s. The handler alone, with the hash that both compute, is %s, the whole request %s. The page's pool retains the largest body ever seen; ours has a limit",
				garbageSaved(rows[0]), faster(rows[0].Ratio), faster(rows[1].Ratio))
		},
		Cases: handlerCases("4 KB and SHA-256", "POST", make([]byte, 4<<10),
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var buf bytes.Buffer
				if _, err := io.Copy(&buf, r.Body); err != nil {
					http.Error(w, err.Error(), 400)
					return
				}
				process(buf.Bytes(), sha256.Sum256(buf.Bytes()))
			}),
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				buf := pool.Get().(*bytes.Buffer)
				buf.Reset()
				defer pool.Put(buf)
				if _, err := io.Copy(buf, r.Body); err != nil {
					http.Error(w, err.Error(), 400)
					return
				}
				process(buf.Bytes(), sha256.Sum256(buf.Bytes()))
			}),
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				must(body.WithBody(w, r, 1<<20, func(p []byte) error {
					process(p, sha256.Sum256(p))
					return nil
				}))
			})),
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

func lineReader() Claim {
	pool := sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4096) }}
	var seen int
	lines := func(br *bufio.Reader) error { return pagesLines(br, func(line string) { seen += len(line) }) }
	before := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { must(lines(bufio.NewReader(r.Body))) })
	after := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		br := pool.Get().(*bufio.Reader)
		br.Reset(r.Body)
		defer pool.Put(br)
		must(lines(br))
	})
	ours := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for line, err := range body.Lines(r.Body, 0) {
			must(err)
			seen += len(line)
		}
	})
	line := []byte(strings.Repeat("x", 39) + "\n")
	return Claim{
		Number: 8, Title: "A bufio.Reader for each body", Page: 3.5, Ours: "body.Lines",
		Why: func(rows []Row) string {
			return fmt.Sprintf("the handler alone is %s with 1 line and %s with 100, where ReadString still makes %.0f allocations and ours %.0f. Whole requests are %s and %s. Both versions lose a last line without a newline and have no limit; ours has one",
				faster(rows[0].Ratio), faster(rows[2].Ratio), rows[2].After.Allocs, rows[2].Ours.Allocs, faster(rows[1].Ratio), faster(rows[3].Ratio))
		},
		Cases: append(handlerCases("1 line", "POST", line, before, after, ours),
			handlerCases("100 lines", "POST", bytes.Repeat(line, 100), before, after, ours)...),
	}
}
