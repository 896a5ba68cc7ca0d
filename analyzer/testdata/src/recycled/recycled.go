// Package recycled has handlers for an engine that recycles requests.
package recycled

import (
	"bufio"
	"context"
	"io"
	"log"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine"
)

func main() {
	s := engine.New(&http.Server{})
	s.Recycle = true
}

var (
	lastRequest *http.Request
	lastURL     *url.URL
	lastHeader  http.Header
	lastValues  []string
	lastWriter  http.ResponseWriter
	lastName    string
	writers     = make(chan io.Writer)
	all         []string
)

func use(...any) {}

// Objects that the engine reuses.

func wrongHeader(w http.ResponseWriter, r *http.Request) {
	lastRequest = r       // want `r outlives`
	lastURL = r.URL       // want `r.URL outlives the handler in package variable lastURL: copy the URL first`
	lastHeader = r.Header // want `r.Header outlives the handler in package variable lastHeader: clone the header first`
	h := r.Header
	go use(h) // want `r.Header can outlive the handler in this goroutine`
	keep(r.Header)
	lastValues = r.Header["Accept"]        // want `r.Header outlives`
	lastValues = r.Header.Values("Accept") // want `r.Header outlives`
	v, ok := r.Header["Accept"]
	if ok {
		lastValues = v[1:] // want `r.Header outlives`
	}
	for _, v := range r.Header {
		lastValues = v // want `r.Header outlives`
	}
	lastHeader = maps.Clone(r.Header) // want `r.Header outlives`
}

func wrongWriter(w http.ResponseWriter, r *http.Request) {
	lastWriter = w // want `w outlives the handler in package variable lastWriter: write the response before the handler returns`
	go func() {    // want `w can outlive the handler in this goroutine: write the response before`
		io.WriteString(w, "late")
	}()
	writers <- w                  // want `w outlives the handler on a channel`
	writers <- bufio.NewWriter(w) // want `w outlives`
	go log.New(w, "", 0).Print()  // want `w can outlive`
	lastHeader = w.Header()       // want `w.Header\(\) outlives the handler in package variable lastHeader: clone the header first`
	rc := http.NewResponseController(w)
	time.AfterFunc(time.Second, func() { rc.Flush() }) // want `w can outlive`
}

type server struct {
	w http.ResponseWriter
	r *http.Request
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.w = w // want `w outlives the handler in field w`
	s.r = r // want `r outlives the handler in field r`
}

func keep(h http.Header) {
	lastHeader = h // want `h outlives the handler that calls this at recycled.go:\d+`
}

// Strings, copies, the context and the body's error remain valid.

func rightStrings(w http.ResponseWriter, r *http.Request) {
	lastName = r.Header.Get("X-Name")
	lastName = r.Header["X-Name"][0]
	lastName = r.URL.Path
	all = append(all, r.Header["Accept"]...)
	all = append(all, r.Header.Values("Accept")...)
	lastValues = strings.Split(r.Header.Get("Accept"), ",")
	lastValues = slices.Clone(r.Header["Accept"])
	lastValues = append([]string(nil), r.Header["Accept"]...)
	for _, v := range r.Header {
		all = append(all, v...)
	}
}

func rightCopies(w http.ResponseWriter, r *http.Request) {
	lastHeader = r.Header.Clone()
	lastHeader = w.Header().Clone()
	lastRequest = r.Clone(context.WithoutCancel(r.Context()))
	u := *r.URL
	lastURL = &u
	ctx := r.Context()
	go func() { <-ctx.Done() }()
	_ = r.ParseForm()
	lastValues = r.Form["a"]
	var wg sync.WaitGroup
	wg.Go(func() { io.WriteString(w, r.Header.Get("X-Name")) })
	wg.Wait()
}

type recorder struct {
	http.ResponseWriter
	status int
}

func (rec *recorder) WriteHeader(code int) {
	rec.status = code
	rec.ResponseWriter.WriteHeader(code)
}

func rightRecorder(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		use(rec.status)
	})
}
