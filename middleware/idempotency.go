package middleware

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/internal/recorder"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// Idempotency describes the middleware of [IdempotencyKey].
type Idempotency struct {
	// Store keeps the responses. It must be set; [NewMemoryStore] is for services
	// with one process.
	Store IdempotencyStore

	// Scope returns whose request r is, such as the ID of the user or tenant.
	// Each scope has its own keys, so that nobody gets the response of somebody
	// else. It must be set. Requests for which it returns "" share a scope.
	Scope func(r *http.Request) string

	Required bool // a POST or PATCH request without a key gets 400 Bad Request

	// Lease is the time that a request has for its handler, by default a
	// minute. Then its context ends, and the key is free again if there is no
	// response, for example because the process has ended.
	Lease time.Duration

	Keep        time.Duration // how long a response is kept, by default 24 hours
	MaxRequest  int64         // maximum size of a request body, by default 1 MB
	MaxResponse int           // maximum size of a response body to keep, by default 1 MB
}

// An IdempotencyStore keeps values for a limited time. It is used by several
// goroutines. Keys are at most 64 bytes of ASCII letters, digits, - and _. In
// Redis 7 or newer, the methods are SET key value NX GET PX ttl, SET key value PX
// ttl, and DEL key.
type IdempotencyStore interface {
	// Add stores the value, unless the key has one already, which it returns.
	Add(ctx context.Context, key string, value []byte, ttl time.Duration) (existing []byte, err error)
	// Set replaces the value.
	Set(ctx context.Context, key string, value []byte, ttl time.Duration) error
	// Delete removes the value, if there is one.
	Delete(ctx context.Context, key string) error
}

// IdempotencyKey makes POST and PATCH requests with a header Idempotency-Key
// safe to repeat (draft-ietf-httpapi-idempotency-key-header): the first one is
// executed, and its response is kept in the store before it is sent. A repeat
// with the same key, method, host name, path, query and body gets this response,
// with the header Idempotent-Replayed: true. While the first request runs, a
// repeat gets 409 Conflict with Retry-After. If the key was used for another
// request, the response is 422 Unprocessable Content. Other requests aren't
// changed.
//
// All responses are kept except those with the status 307, 308, 429 or 503,
// which say that the request wasn't executed. A client that follows a redirect
// must send repeats to the new URL: at the old one, they get 422, because the key
// belongs to the request at the new one. The 503 of [Timeout], and of
// [problem.Write] for an error of a deadline, is kept: the request may have been
// executed. That of [http.TimeoutHandler] isn't, so don't use it inside. After a
// panic, repeats get 500. Headers that outer middleware has set aren't kept, and
// neither are cookies. Of a response that is larger than MaxResponse, only the
// fact is kept: repeats get 409. If the store fails before the request is
// executed, the response is 503.
//
// The contexts of the handler and the store aren't canceled when the client
// disconnects, because the client will ask again. Responses are sent as a whole:
// Flush, Hijack, trailers and informational responses aren't supported. The key
// is a string as in RFC 8941 or, as many clients send it, without quotes, of at
// most 255 characters.
//
// If the process ends between the execution and the response, repeats get 409
// until Lease has passed; then the next one is executed again. To exclude that,
// store the key in the same transaction as the effect.
//
// IdempotencyKey panics if Store or Scope is missing, or a limit is negative.
func IdempotencyKey(o Idempotency) func(http.Handler) http.Handler {
	if o.Store == nil || o.Scope == nil {
		panic("middleware: IdempotencyKey: set Store and Scope; without a scope, a client could get another one's response")
	}
	o.Lease, o.Keep = cmp.Or(o.Lease, time.Minute), cmp.Or(o.Keep, 24*time.Hour)
	o.MaxRequest, o.MaxResponse = cmp.Or(o.MaxRequest, 1<<20), cmp.Or(o.MaxResponse, 1<<20)
	if min(o.Lease, o.Keep) < 0 || o.MaxRequest < 0 || o.MaxResponse < 0 {
		panic("middleware: IdempotencyKey: a limit is negative; use 0 for the default")
	}
	refuseTiny("IdempotencyKey: Lease", o.Lease)
	refuseTiny("IdempotencyKey: Keep", o.Keep)
	return func(next http.Handler) http.Handler {
		once := BodyLimit(o.MaxRequest)(problem.Handler(func(w http.ResponseWriter, r *http.Request) error { return o.serve(w, r, next) }))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost && r.Method != http.MethodPatch || r.Header["Idempotency-Key"] == nil && !o.Required {
				next.ServeHTTP(w, r)
				return
			}
			once.ServeHTTP(w, r)
		})
	}
}

// A keptResponse is what the store holds for a key. Until the handler has
// returned, it has only a Request.
type keptResponse struct {
	Request string // hash of the request
	Status  int
	Header  map[string][]string // any bytes, so that JSON wouldn't do
	Body    []byte
	Lost    bool // the response was too large, or the handler has panicked
}

func (k keptResponse) encode() []byte {
	var b bytes.Buffer
	_ = gob.NewEncoder(&b).Encode(k) // fails only for other types
	return b.Bytes()
}

func (o *Idempotency) serve(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	key, err := idempotencyKey(r.Header["Idempotency-Key"])
	if err != nil {
		return err
	}
	var body []byte
	if r.Body != nil {
		body, err = io.ReadAll(r.Body)
	}
	if too := (*http.MaxBytesError)(nil); errors.As(err, &too) {
		return err
	} else if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return &problem.Error{Status: http.StatusRequestTimeout, Detail: "The request body did not arrive in time.", Err: err}
	} else if err != nil {
		return &problem.Error{Status: http.StatusBadRequest, Detail: "The request body could not be read.", Err: err}
	}
	files, err := filesOf(r.MultipartForm)
	if err != nil {
		return err
	}
	key = hashOf(o.Scope(r), key)
	// A repeat may reach another process at another port. StripPrefix changes r.URL,
	// but not r.RequestURI. Outer middleware may have read a form.
	host := strings.ToLower((&url.URL{Host: r.Host}).Hostname())
	request := append([]string{r.Method, host, cmp.Or(r.RequestURI, r.URL.RequestURI()), string(body) + r.PostForm.Encode()}, files...)
	running := keptResponse{Request: hashOf(request...)}
	// Not later than the store's, so that keep doesn't change the entry of a repeat.
	ctx, cancel := context.WithDeadline(context.WithoutCancel(r.Context()), time.Now().Add(o.Lease))
	defer cancel()
	existing, err := o.Store.Add(ctx, key, running.encode(), o.Lease)
	if err != nil {
		return &problem.Error{Status: http.StatusServiceUnavailable, Err: fmt.Errorf("idempotency store: %w", err)}
	}
	if existing != nil {
		return replay(w, running.Request, existing)
	}
	ctx = context.WithValue(ctx, recorder.Late{}, new(atomic.Bool))
	a := &answer{w: w, header: w.Header().Clone(), max: o.MaxResponse}
	a.large = func() { o.keep(ctx, key, keptResponse{Request: running.Request, Status: a.status, Lost: true}) }
	finished := false
	defer func() {
		if !finished { // the handler has panicked
			o.keep(ctx, key, keptResponse{Request: running.Request, Status: http.StatusInternalServerError, Lost: true})
		}
	}()
	inner := copyOf(r, ctx)
	inner.Body = io.NopCloser(bytes.NewReader(body))
	if loop, ok := ctx.Value(loopKey{}).(*redirectLoop); ok {
		loop.body = body
	}
	defer handBack(r, inner, r.Context())
	next.ServeHTTP(a, inner)
	finished = true
	a.WriteHeader(http.StatusOK) // if there was none
	if !a.sent {
		o.keep(ctx, key, keptResponse{Request: running.Request, Status: a.status, Header: a.added(), Body: a.body})
		a.send()
	}
	return nil
}

// keep stores the response. After the lease, the key may be that of a repeat.
func (o *Idempotency) keep(ctx context.Context, key string, k keptResponse) {
	if ctx.Err() != nil {
		slog.ErrorContext(ctx, "idempotency: the handler took longer than the lease, so that the request may be executed again", "lease", o.Lease)
		return
	}
	again := []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	var err error
	if late := ctx.Value(recorder.Late{}).(*atomic.Bool); slices.Contains(again, k.Status) && !late.Load() {
		err = o.Store.Delete(ctx, key)
	} else {
		err = o.Store.Set(ctx, key, k.encode(), o.Keep)
	}
	if err != nil {
		slog.ErrorContext(ctx, "idempotency: the response could not be stored, so that the request may be executed again", "error", err)
	}
}

// replay answers a repeat of a request by what is stored.
func replay(w http.ResponseWriter, request string, existing []byte) error {
	var k keptResponse
	if err := gob.NewDecoder(bytes.NewReader(existing)).Decode(&k); err != nil {
		return fmt.Errorf("idempotency store: %w", err)
	}
	switch {
	case k.Request != request:
		return &problem.Error{Status: http.StatusUnprocessableEntity, Detail: "This Idempotency-Key was used for another request."}
	case k.Status == 0:
		w.Header().Set("Retry-After", "1")
		return &problem.Error{Status: http.StatusConflict, Detail: "The first request with this Idempotency-Key is still running."}
	case k.Lost && k.Status == http.StatusInternalServerError:
		return problem.Code(k.Status)
	case k.Lost:
		return &problem.Error{Status: http.StatusConflict, Detail: "The request was executed already, but its response was too large to keep."}
	}
	w.Header().Set("Idempotent-Replayed", "true")
	a := &answer{w: w, header: w.Header().Clone(), body: k.Body}
	maps.Copy(a.header, k.Header)
	a.WriteHeader(k.Status)
	a.send()
	return nil
}

// idempotencyKey returns the key in the values of the header.
func idempotencyKey(values []string) (string, error) {
	bad := func(why string) error {
		return &problem.Error{Status: http.StatusBadRequest, Detail: "The header Idempotency-Key " + why + "."}
	}
	if len(values) == 0 {
		return "", bad("is required")
	}
	key := values[0]
	if n := len(key); n > 1 && key[0] == '"' && key[n-1] == '"' {
		key = key[1 : n-1]
	}
	switch {
	case len(values) > 1:
		return "", bad("is repeated")
	case key == "" || len(key) > 255:
		return "", bad("must have 1 to 255 characters")
	case strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' || c == ',' }):
		return "", bad("must consist of visible ASCII characters without quotes, commas and backslashes")
	}
	return key, nil
}

// hashOf returns a hash of the texts, as 43 characters.
func hashOf(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// filesOf returns the fields, names and contents of the files of a form, if outer
// middleware has read one.
func filesOf(form *multipart.Form) (texts []string, err error) {
	if form == nil {
		return nil, nil
	}
	for _, field := range slices.Sorted(maps.Keys(form.File)) {
		for _, h := range form.File[field] {
			f, err := h.Open()
			if err != nil {
				return nil, err
			}
			content, err := io.ReadAll(f)
			f.Close()
			if err != nil {
				return nil, err
			}
			texts = append(texts, field, h.Filename, string(content))
		}
	}
	return texts, nil
}

// An answer is a ResponseWriter that collects the response. One whose body has
// more than max bytes is sent as it is written.
type answer struct {
	w      http.ResponseWriter
	header http.Header
	final  http.Header // when WriteHeader was called
	status int
	body   []byte
	max    int
	large  func() // called before a large response is sent
	sent   bool   // the header, and the body so far
}

// ResponseProgress tells package recorder how far the response is.
func (a *answer) ResponseProgress() (started, hijacked bool) { return a.status != 0, false }

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if status < 100 || status > 999 { // as net/http's, before the response is kept
		panic(fmt.Sprintf("invalid WriteHeader code %v", status))
	}
	if a.status == 0 && status >= 200 {
		a.status, a.final = status, a.header.Clone()
		a.final.Del("Trailer")
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if !a.sent && len(a.body)+len(p) <= a.max {
		a.body = append(a.body, p...)
		return len(p), nil
	}
	if !a.sent {
		a.large()
		a.send()
	}
	return a.w.Write(p)
}

// send sends what was collected.
func (a *answer) send() {
	a.sent = true
	header := a.w.Header()
	clear(header)
	maps.Copy(header, a.final)
	a.w.WriteHeader(a.status)
	if len(a.body) > 0 {
		_, _ = a.w.Write(a.body)
	}
}

// added returns the header fields to keep: those that the handler has added or
// changed, except cookies, and those of the connection and the moment.
func (a *answer) added() map[string][]string {
	kept := maps.Clone(a.final)
	for name, values := range a.w.Header() {
		if strings.Join(kept[name], "\n") == strings.Join(values, "\n") {
			delete(kept, name)
		}
	}
	for _, name := range []string{"Set-Cookie", "Date", "Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade"} {
		delete(kept, name)
	}
	return kept
}

// NewMemoryStore returns an [IdempotencyStore] for one process, which holds up to
// maxBytes bytes of keys and values. If it is full, it forgets the oldest
// responses, but no request that still runs: if these fill it, Add returns an
// error. It panics if maxBytes isn't positive.
func NewMemoryStore(maxBytes int) IdempotencyStore {
	if maxBytes <= 0 {
		panic("middleware: NewMemoryStore: maxBytes must be positive")
	}
	return &memoryStore{max: maxBytes, entries: map[string]*memoryEntry{}}
}

type memoryStore struct {
	max int

	mu      sync.Mutex
	size    int
	running int // size of the entries of Add
	entries map[string]*memoryEntry
	added   memoryQueue // entries of Add
	set     memoryQueue // entries of Set
}

type memoryEntry struct {
	key   string
	value []byte
	end   time.Time
	queue *memoryQueue
	index int // in the queue
}

func (e *memoryEntry) size() int { return len(e.key) + len(e.value) + 200 }

func (s *memoryStore) Add(_ context.Context, key string, value []byte, ttl time.Duration) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[key]; e != nil && time.Now().Before(e.end) {
		return e.value, nil
	}
	return nil, s.put(&s.added, key, value, ttl)
}

func (s *memoryStore) Set(_ context.Context, key string, value []byte, ttl time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(&s.set, key, value, ttl)
}

func (s *memoryStore) Delete(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(s.entries[key])
	return nil
}

// put adds an entry to a queue, instead of the one that the key has. If there
// is no room even without the responses, it changes nothing.
func (s *memoryStore) put(queue *memoryQueue, key string, value []byte, ttl time.Duration) error {
	now := time.Now()
	e := &memoryEntry{key: key, value: value, end: now.Add(ttl), queue: queue}
	for _, q := range []*memoryQueue{&s.added, &s.set} {
		for len(*q) > 0 && !now.Before((*q)[0].end) {
			s.remove((*q)[0])
		}
	}
	others := s.running
	if old := s.entries[key]; old != nil && old.queue == &s.added {
		others -= old.size()
	}
	if others+e.size() > s.max {
		return fmt.Errorf("the store of %d bytes is full", s.max)
	}
	s.remove(s.entries[key])
	for s.size+e.size() > s.max {
		s.remove(s.set[0])
	}
	s.size += e.size()
	if queue == &s.added {
		s.running += e.size()
	}
	s.entries[key] = e
	heap.Push(queue, e)
	return nil
}

func (s *memoryStore) remove(e *memoryEntry) {
	if e != nil {
		s.size -= e.size()
		if e.queue == &s.added {
			s.running -= e.size()
		}
		delete(s.entries, e.key)
		heap.Remove(e.queue, e.index)
	}
}

// A memoryQueue is a heap of entries, by their end: the oldest ones first.
type memoryQueue []*memoryEntry

func (q memoryQueue) Len() int           { return len(q) }
func (q memoryQueue) Less(i, j int) bool { return q[i].end.Before(q[j].end) }
func (q memoryQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i]; q[i].index, q[j].index = i, j }
func (q *memoryQueue) Push(x any)        { e := x.(*memoryEntry); e.index = len(*q); *q = append(*q, e) }
func (q *memoryQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil // so that its value can be freed
	*q = (*q)[:last]
	return e
}
