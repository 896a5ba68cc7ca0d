// Package h2 serves plain [http.Handler]s over HTTP/2 (RFC 9113).
//
// A connection has one goroutine that reads. It parses frames, builds requests
// and starts handlers in pooled goroutines. Handlers append the frames of their
// responses to one output buffer, under the connection's mutex. Whoever finds
// output that nobody is about to write becomes the flusher. While other
// goroutines of the connection run, the flusher first goes to the end of the run
// queue, and then writes everything with one call.
//
// The package knows the engine's connections only as a [Transport], and nothing
// of HTTP/1.1.
package h2

import (
	"math"
	"net/http"
	"time"

	"github.com/seed-1954dcaa/muxmaster/engine/internal/alarm"
	"github.com/seed-1954dcaa/muxmaster/engine/internal/hpack"
)

// A Server has what the connections of a server share. Its exported fields must
// be set before the call of Configure.
type Server struct {
	HTTP       *http.Server // the user's, for its settings
	Handler    func() http.Handler
	KeepAlives func() bool // whether connections can serve more requests
	Recycle    bool
	NoPriority bool // ignore the priorities of RFC 9218
	Connect    bool // accept extended CONNECT (RFC 8441)
	MaxFields  int  // fields of a request, and of its trailers; 0 for no limit, as before Go 1.27
	Logf       func(format string, args ...any)
	Late       func(method string) // logs a ResponseWriter used too late

	clock   alarm.Clock
	workers pool
	config
}

// A config is what the fields of http.Server mean for HTTP/2. Durations are in
// nanoseconds, 0 for none.
type config struct {
	maxStreams   int
	maxList      int // bytes of a request's fields
	decoderTable int
	largestTable int // of the decoder, also before the client knows decoderTable
	encoderTable int
	maxFrame     int
	connWindow   int64
	streamWindow int64

	timeouts                         alarm.Timeouts
	sendPing, pingTimeout, writeByte int64

	permitAllCiphers bool
	countError       func(string)
}

// Configure reads the settings of s.HTTP. Like net/http, it replaces values that
// are out of range by the defaults.
func (s *Server) Configure() {
	h, o := s.HTTP, s.HTTP.HTTP2
	if o == nil {
		o = new(http.HTTP2Config)
	}
	maxHeader := h.MaxHeaderBytes
	if maxHeader <= 0 {
		maxHeader = http.DefaultMaxHeaderBytes
	}
	s.clock = alarm.NewClock()
	s.config = config{
		maxStreams:   min(inRange(o.MaxConcurrentStreams, 1, math.MaxInt32, 250), 1<<20),
		maxList:      min(maxHeader, 1<<30) + 320, // as in net/http: 32 bytes for each of 10 fields
		decoderTable: inRange(o.MaxDecoderHeaderTableSize, 1, 4<<20, hpack.DefaultTableSize),
		encoderTable: inRange(o.MaxEncoderHeaderTableSize, 1, 4<<20, hpack.DefaultTableSize),
		maxFrame:     inRange(o.MaxReadFrameSize, minMaxFrame, maxMaxFrame, minMaxFrame),
		connWindow:   int64(inRange(o.MaxReceiveBufferPerConnection, defaultWindow, maxWindow, 4<<20)), // several unread bodies don't stop others
		streamWindow: int64(inRange(o.MaxReceiveBufferPerStream, 1, maxWindow, 1<<20)),
		timeouts:     alarm.TimeoutsOf(h),
		sendPing:     alarm.Nanoseconds(o.SendPingTimeout),
		pingTimeout:  alarm.Nanoseconds(o.PingTimeout, 15*time.Second),
		writeByte:    alarm.Nanoseconds(o.WriteByteTimeout),

		permitAllCiphers: o.PermitProhibitedCipherSuites,
		countError:       o.CountError,
	}
	s.largestTable = max(s.decoderTable, hpack.DefaultTableSize)
}

func inRange(n, low, high, otherwise int) int {
	if n < low || n > high {
		return otherwise
	}
	return n
}

// count calls HTTP2Config.CountError.
func (s *Server) count(name string) {
	if s.countError != nil {
		s.countError(name)
	}
}
