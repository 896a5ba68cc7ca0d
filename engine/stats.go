package engine

import "sync/atomic"

// Stats contains statistics of a [Server] since its creation.
type Stats struct {
	// Connections is the number of accepted connections.
	Connections uint64
	// Requests is the number of requests served by the engine, not including
	// those served by net/http.
	Requests uint64
	// HTTP2Connections is the number of connections that the engine served over
	// HTTP/2.
	HTTP2Connections uint64
	// HTTP2Requests is the number of requests that the engine served over
	// HTTP/2, one for each stream. Requests includes them.
	HTTP2Requests uint64
	// HandedOver is the number of connections passed to net/http.
	HandedOver uint64
	// Reasons is the number of connections passed to net/http for each reason.
	// A reason is a short text for people, such as "large head". The texts may
	// change in any version.
	Reasons map[string]uint64
}

// A reason is the reason why a connection is passed to net/http.
type reason uint8

const (
	noReason reason = iota
	reasonTLSNextProto
	reasonHTTP2Config
	reasonGODEBUG
	reasonProtocols
	reasonMethod
	reasonTarget
	reasonVersion
	reasonRequestLine
	reasonHeaderLine
	reasonHost
	reasonLength
	reasonTransferEncoding
	reasonExpect
	reasonConnection
	reasonManyHeaders
	reasonLargeHead
	reasonCutHead
	numReasons
)

var reasonTexts = [numReasons]string{
	reasonTLSNextProto:     "protocol in TLSNextProto",
	reasonHTTP2Config:      "HTTP/2 with an unknown option",
	reasonGODEBUG:          "HTTP/2 with a GODEBUG setting",
	reasonProtocols:        "disabled protocol",
	reasonMethod:           "odd method",
	reasonTarget:           "uncommon request target",
	reasonVersion:          "not HTTP/1.1 or 1.0",
	reasonRequestLine:      "uncommon request line",
	reasonHeaderLine:       "uncommon header line",
	reasonHost:             "missing, odd or repeated Host",
	reasonLength:           "odd or repeated Content-Length",
	reasonTransferEncoding: "odd Transfer-Encoding",
	reasonExpect:           "odd Expect",
	reasonConnection:       "odd Connection options",
	reasonManyHeaders:      "many header lines",
	reasonLargeHead:        "large head",
	reasonCutHead:          "incomplete head",
}

func (r reason) String() string { return reasonTexts[r] }

// counters holds the data for Stats.
type counters struct {
	connections atomic.Uint64
	http2       atomic.Uint64
	served      atomic.Uint64 // requests of connections that have ended
	served2     atomic.Uint64 // those over HTTP/2
	handed      [numReasons]atomic.Uint64
}

// Stats returns the current statistics. It is safe for concurrent use.
func (s *Server) Stats() Stats {
	st := Stats{
		Connections:      s.stat.connections.Load(),
		HTTP2Connections: s.stat.http2.Load(),
		Reasons:          make(map[string]uint64),
	}
	s.mu.Lock()
	st.Requests, st.HTTP2Requests = s.stat.served.Load(), s.stat.served2.Load()
	for c := range s.conns {
		n := c.requests.Load()
		st.Requests += n
		if c.http2 != nil {
			st.HTTP2Requests += n
		}
	}
	s.mu.Unlock()
	for r := range s.stat.handed {
		if n := s.stat.handed[r].Load(); n > 0 {
			st.Reasons[reason(r).String()] = n
			st.HandedOver += n
		}
	}
	return st
}
