package server

import (
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// A Shed refuses requests while more arrive than the handlers can serve, so
// that those it lets in are served as fast as without the others. Set
// Server.Shed, or wrap the handlers that share a resource, such as a database,
// with Wrap. A refused request gets 503 Service Unavailable with a Retry-After
// header of 1 to 3 seconds, at random so that clients don't return together.
// Its body isn't read.
//
// A Shed learns how long requests of each r.Pattern typically take. A request
// may take twice as long, or 5 ms more if that is longer. By Little's law, the
// number of requests that run on time is at most their rate times the time that
// they may take. If more run for 200 ms, and for the time that a request may
// take, there is a queue, and that number becomes the limit. So a short burst is
// served, however large. The limit then follows the measurements of windows of
// 100 ms, or more if requests take longer or are fewer than ten: it becomes
// smaller if most requests take a quarter longer than they may, and larger if
// they are on time and others were refused. It ends when few requests run and
// none is refused, at the latest 5 s after the last one was.
//
// A request counts from its arrival until its handler returns or begins to send
// the response, so event streams and downloads don't count. Nor does the time
// in which a handler waits for its client, unless the handler isn't served by a
// Server of this package, or has set a read deadline over HTTP/1: clients that
// are slow can't use up the limit. The time that a handler has to wait for a
// processor counts as if it ran.
//
// The fields must not change once requests are served. The methods are safe for
// concurrent use.
type Shed struct {
	// MinLimit is the smallest limit. Default: twice GOMAXPROCS.
	MinLimit int

	// MaxLimit is how many requests may run at any time, also while few are
	// late. Zero means no limit.
	MaxLimit int

	// Priority, if set, returns the priority of a request. It is called for
	// each request before it runs, and must be fast. While there is a limit,
	// requests of negative priority are refused if half of it is used, and those
	// of positive priority only if the limit is exceeded by half. See also
	// Exempt. Wrap uses its argument instead.
	Priority func(*http.Request) int

	// Log receives a message when the first request is refused, and one when
	// none was for 5 s. Nil means Server.Log, or slog.Default() for Wrap.
	Log *slog.Logger

	serverLog atomic.Pointer[slog.Logger] // of the first Server that uses it

	running atomic.Int64  // requests that count
	limit   atomic.Int64  // of running; 0 for none
	refused atomic.Int64  // all so far
	mask    atomic.Uint32 // one request of mask+1, a power of two, is measured
	routes  sync.Map      // string → *route
	known   atomic.Int64  // number of routes

	// The current window.
	end                   atomic.Int64 // 0 before the first
	measured, count, late atomic.Int64 // count and late are extrapolated to all requests
	took, allowed         atomic.Int64 // sums of the times that they took and may take
	lowest                atomic.Int64 // least number of others that ran when one ended

	mu     sync.Mutex // guards the rest. User's code isn't called with it held
	timer  *time.Timer
	told   atomic.Bool // the first message was logged; written with mu
	began  time.Time   // when it was
	before int64       // refused then
	begin  int64       // of the window
	last   int64       // refused at the end of the last window
	heard  int64       // refused at the last tick
	quiet  int         // ticks since it last changed
	bad    int         // windows in a row in which there was a queue
	since  int64       // start of the first one of them
	turns  int         // windows in which requests were refused and on time
	calm   int         // windows in a row in which few requests ran, and nothing was late or refused
	stuck  int         // windows in a row at the smallest limit, without a queue
	fits   float64     // average limit that recent windows would have allowed
}

// Exempt is the priority of requests that are never refused and don't count,
// such as those that wait for events.
const Exempt = math.MaxInt

const (
	shedWindow   = 100 * time.Millisecond
	shedLongest  = 5 * time.Second
	shedLeast    = 10 // requests in a window, and to learn from
	shedSlack    = 5 * time.Millisecond
	shedPatience = 2 * shedWindow
	shedQuiet    = 5 // seconds
	shedCalm     = 3 // windows after which the limit ends
	shedStuck    = 4 // windows at the smallest limit
	shedRoutes   = 1000
)

// A route is what is known about the requests of one r.Pattern.
type route struct {
	typical    atomic.Int64 // how long they take without a queue; 0 while unknown
	count, sum atomic.Int64 // of those since typical was last changed
}

// Wrap returns a handler that calls next unless the request must be refused.
// All handlers that one Shed wraps share its limit. With
// [github.com/seed-1954dcaa/muxmaster.Router.UseRoute], the priority can be an
// annotation of the route. In a Server, a handler inside another one of a Shed
// isn't limited again. Over HTTP/2, requests count until their handlers return,
// also while they wait for clients, if a middleware around it replaces the
// ResponseWriter by one without an Unwrap method.
func (s *Shed) Wrap(priority int, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serve(workOf(w, r), priority, next, w, r)
	})
}

func (s *Shed) serve(k *work, priority int, next http.Handler, w http.ResponseWriter, r *http.Request) {
	if priority == Exempt || k.shed.Load() != nil {
		next.ServeHTTP(w, r)
		return
	}
	flushEarlier(r)
	if !s.allows(s.running.Add(1), priority) {
		s.running.Add(-1)
		s.refuse(w, r)
		return
	}
	mask := s.mask.Load()
	timed := mask&rand.Uint32() == 0
	if !k.begin(s, timed) {
		s.running.Add(-1)
		next.ServeHTTP(w, r)
		return
	}
	returned := false
	defer func() {
		if took, stop := k.end(); timed && returned {
			s.measure(r, took, stop, int64(mask)+1)
		}
	}()
	if timed {
		// Requests that can be read come first. Otherwise the others wait for
		// a processor where they don't count.
		runtime.Gosched()
	}
	next.ServeHTTP(w, r)
	returned = true
}

// A flusher is a writer of the engine.
type flusher interface{ FlushEarlier() }

// flushEarlier sends the responses to earlier requests that the engine may hold.
// If it sent them later, r would not count any more. It may have to wait for the
// client, so r must not count yet. It doesn't use the handler's writer, which
// may be one without Unwrap.
func flushEarlier(r *http.Request) {
	c, _ := r.Context().Value(connKey{}).(*conn)
	if c == nil {
		return
	}
	c.mu.Lock()
	e := c.earlier
	c.mu.Unlock()
	if e != nil {
		e.FlushEarlier()
	}
}

// allows reports whether n requests may run, if the last one has the priority.
func (s *Shed) allows(n int64, priority int) bool {
	limit := s.limit.Load()
	switch {
	case limit == 0:
		limit = math.MaxInt64
	case priority < 0:
		limit = (limit + 1) / 2
	case priority > 0:
		limit += (limit + 1) / 2
	}
	return n <= limit && (s.MaxLimit <= 0 || n <= int64(s.MaxLimit))
}

func (s *Shed) refuse(w http.ResponseWriter, r *http.Request) {
	s.refused.Add(1)
	if !s.told.Load() && s.tell() {
		st := s.Stats()
		s.logger().Warn("shedding load", "limit", st.Limit, "running", st.Running)
	}
	w.Header().Set("Retry-After", strconv.Itoa(1+rand.IntN(3)))
	problem.Write(w, r, problem.Code(http.StatusServiceUnavailable))
}

// tell reports whether the first message is to be logged.
func (s *Shed) tell() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told.Load() {
		return false
	}
	s.told.Store(true)
	s.began, s.before = time.Now(), s.refused.Load()-1
	s.watch()
	return true
}

// watch makes tick be called. The caller holds s.mu.
func (s *Shed) watch() {
	if s.timer == nil {
		s.quiet = 0
		s.timer = time.AfterFunc(time.Second, s.tick)
	}
}

// tick ends the limit if no request was refused lately.
func (s *Shed) tick() {
	s.mu.Lock()
	refused := s.refused.Load()
	s.quiet++
	if refused != s.heard {
		s.quiet = 0
	}
	s.heard = refused
	if s.quiet < shedQuiet {
		s.timer.Reset(time.Second)
		s.mu.Unlock()
		return
	}
	s.timer, s.bad = nil, 0
	s.limit.Store(0)
	told, refused, took := s.told.Swap(false), refused-s.before, time.Since(s.began)
	s.mu.Unlock()
	if told {
		s.logger().Info("no longer shedding load", "refused", refused, "took", took.Round(time.Millisecond))
	}
}

// ShedStats contains statistics about a Shed.
type ShedStats struct {
	Refused int64 // number of requests refused so far
	Running int64 // number of requests that run and count
	Limit   int64 // how many may run, or 0 if there is no limit now
}

// Stats returns the current statistics.
func (s *Shed) Stats() ShedStats {
	limit := s.limit.Load()
	if most := int64(s.MaxLimit); most > 0 && (limit == 0 || limit > most) {
		limit = most
	}
	return ShedStats{s.refused.Load(), s.running.Load(), limit}
}

func (s *Shed) logger() *slog.Logger {
	if s.Log != nil {
		return s.Log
	}
	if log := s.serverLog.Load(); log != nil {
		return log
	}
	return slog.Default()
}

// measure records a request that took so long, for itself and those that
// weren't measured.
func (s *Shed) measure(r *http.Request, took, now, weight int64) {
	rt := s.route(r.Pattern)
	canceled := r.Context().Err() != nil
	if !canceled {
		rt.count.Add(1)
		rt.sum.Add(took)
	}
	typical := rt.typical.Load()
	may := typical + max(typical, int64(shedSlack))
	if typical == 0 {
		may = took + max(took, int64(shedSlack))
	}
	if took > may+may/4 {
		s.late.Add(weight)
		if canceled { // it wasn't served
			may = 0
		}
	}
	s.took.Add(took * weight)
	s.allowed.Add(may * weight)
	s.count.Add(weight)
	for running := s.running.Load(); ; {
		lowest := s.lowest.Load()
		if running >= lowest || s.lowest.CompareAndSwap(lowest, running) {
			break
		}
	}
	n := s.measured.Add(1)
	if end := s.end.Load(); n < shedLeast || end != 0 && now < end || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	switch {
	case s.begin == 0:
		s.begin = now - took
		s.end.Store(now - took + int64(shedWindow))
	case now >= s.end.Load() && s.measured.Load() >= shedLeast:
		s.turn(now)
	}
}

func (s *Shed) route(pattern string) *route {
	if rt, ok := s.routes.Load(pattern); ok {
		return rt.(*route)
	}
	if s.known.Load() >= shedRoutes {
		pattern = "" // those of a handler that makes up patterns
	}
	rt, loaded := s.routes.LoadOrStore(pattern, new(route))
	if !loaded {
		s.known.Add(1)
	}
	return rt.(*route)
}

// turn ends a window. The caller holds s.mu.
func (s *Shed) turn(now int64) {
	length := now - s.begin
	measured, count, late, allowed := s.measured.Swap(0), s.count.Swap(0), s.late.Swap(0), s.allowed.Swap(0)
	lowest := s.lowest.Swap(math.MaxInt64)
	took := s.took.Swap(0)
	fits := float64(allowed) / float64(max(length, 1))
	s.fits += (fits - s.fits) / 4
	s.begin = now
	s.end.Store(now + min(max(int64(shedWindow), allowed/count/2), int64(shedLongest)))
	refused := s.refused.Load()
	refused, s.last = refused-s.last, refused
	limit := s.limit.Load()
	least := int64(s.MinLimit)
	if least <= 0 {
		least = 2 * int64(runtime.GOMAXPROCS(0))
	}
	isLate := late > count/2
	if float64(lowest) <= max(fits, s.fits) {
		s.bad = 0
	} else if s.bad++; s.bad == 1 {
		s.since = now - length
	}
	if s.calm++; isLate || refused > 0 || took > length*limit*3/8 {
		s.calm = 0
	}
	switch {
	case limit == 0 && s.bad > 1 && now-s.since >= max(int64(shedPatience), allowed/count):
		limit = int64(math.Round(max(fits, s.fits)))
		s.watch()
	case limit > 0 && isLate:
		limit = max(int64(math.Round(max(fits, s.fits))), limit*3/4)
	case limit > 0 && refused > 0 && took < allowed*5/8:
		limit *= 2
	case limit > 0 && refused > 0:
		limit = max(min(int64(math.Round(s.fits)), 2*limit), limit)
		if s.turns++; s.turns%8 == 0 { // they may be slower than they were, but not late
			limit += limit / 16
		}
	case s.calm >= shedCalm:
		limit = 0
	}
	if limit > 0 {
		limit = max(limit, least)
	}
	s.limit.Store(limit)
	// Where as few requests run as possible, there is no queue: they are slower
	// than they were.
	if s.stuck++; !isLate || limit != least || lowest > least {
		s.stuck = 0
	}
	slower := s.stuck >= shedStuck
	s.routes.Range(func(_, v any) bool {
		v.(*route).learn(limit == 0 && !isLate, slower)
		return true
	})
	switch mask := s.mask.Load(); {
	case limit > 0:
		s.mask.Store(0)
	case measured > 256 && mask < 1<<10:
		s.mask.Store(mask*2 + 1)
	case measured < 64:
		s.mask.Store(mask / 2)
	}
}

// learn changes rt.typical: soon if requests have become faster, and otherwise
// slowly if they are on time, or soon if there is no queue.
func (rt *route) learn(onTime, noQueue bool) {
	if rt.count.Load() < shedLeast {
		return
	}
	mean := rt.sum.Swap(0) / rt.count.Swap(0)
	typical := rt.typical.Load()
	switch {
	case typical == 0:
		typical = mean
	case mean < typical:
		typical -= (typical - mean) / 16
	case noQueue:
		typical = mean
	case onTime:
		typical += (mean - typical) / 512
	}
	rt.typical.Store(max(typical, 1))
}

// A work is the part of a request that counts. Its connection, or in HTTP/2 its
// stream, says when it waits for the client and when it begins to respond.
type work struct {
	shed atomic.Pointer[Shed] // nil if it doesn't count, or no longer
	late atomic.Bool          // it counts, but its request has ended

	mu            sync.Mutex
	timed         bool  // measured
	waits         int   // reads and writes in progress
	start, paused int64 // start is later by the waits
	took, stop    int64 // set at the end, if timed
}

// workOf returns the work of the request.
func workOf(w http.ResponseWriter, r *http.Request) *work {
	c, _ := r.Context().Value(connKey{}).(*conn)
	if c == nil || r.Context().Err() != nil { // it may have ended, in an http.TimeoutHandler
		return new(work)
	}
	if !c.http2.Load() {
		return c.currentWork()
	}
	if s, ok := inner[*stream](w); ok {
		return &s.work
	}
	return new(work)
}

// currentWork returns the work of an HTTP/1 request. It isn't c.work while that
// counts for an earlier request, whose handler runs in an http.TimeoutHandler.
func (c *conn) currentWork() *work {
	if c.work.late.Load() {
		return new(work)
	}
	return &c.work
}

// requestEnds is called when the request ends, with the work or before it.
func (k *work) requestEnds() {
	if k.shed.Load() == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.late.Store(k.shed.Load() != nil)
}

// inner returns w, or the first writer of type T that it wraps.
func inner[T any](w http.ResponseWriter) (t T, ok bool) {
	for {
		if t, ok = w.(T); ok {
			return t, true
		}
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return t, false
		}
		w = u.Unwrap()
	}
}

// begin is called after the request was counted. It reports false if the work
// has begun: a handler may call others with its request at the same time.
func (k *work) begin(s *Shed, timed bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shed.Load() != nil {
		return false
	}
	k.timed, k.waits = timed, 0
	k.start = k.now()
	k.shed.Store(s)
	return true
}

// origin is the start of the time that works are measured in.
var origin = time.Now()

func (k *work) now() int64 {
	if !k.timed {
		return 0
	}
	return int64(time.Since(origin))
}

// pause is called when a wait for the client begins, and resume when it ends.
func (k *work) pause() { k.wait(+1) }

func (k *work) resume() { k.wait(-1) }

func (k *work) wait(change int) {
	if k.shed.Load() == nil || k.late.Load() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s, was := k.shed.Load(), k.waits
	k.waits = max(0, was+change) // a wait that began before the work doesn't count
	switch {
	case s == nil || (was == 0) == (k.waits == 0):
	case was == 0:
		s.running.Add(-1)
		k.paused = k.now()
	default:
		s.running.Add(1)
		k.start += k.now() - k.paused
	}
}

// Writes of fewer bytes than leastResponse aren't responses, which have a Date,
// but 100 Continue, also as a TLS record, or TLS records that the client asks
// for. With these, clients could make their requests no longer count.
const leastResponse = 64

// wrote is called when n bytes are written to the connection.
func (k *work) wrote(n int) {
	if n >= leastResponse {
		k.respond()
	}
}

// respond is called when a part of the response is sent before the handler has
// returned. It ends the work.
func (k *work) respond() {
	if k.shed.Load() != nil && !k.late.Load() {
		k.end()
	}
}

// end ends the work unless it has ended. It returns the time that it took, and
// its end.
func (k *work) end() (took, stop int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.shed.Swap(nil); s != nil {
		if k.waits == 0 {
			s.running.Add(-1)
			k.paused = k.now()
		}
		k.took, k.stop = k.paused-k.start, k.paused
		k.late.Store(false)
	}
	return k.took, k.stop
}
