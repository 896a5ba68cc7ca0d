package engine

import "sync/atomic"

// Stats counts what a [Server] has done since it was created.
type Stats struct {
	// Connections is the number of connections that were accepted.
	Connections uint64
	// Requests is the number of requests that were served by the engine. It
	// doesn't count the requests of connections that were handed over.
	Requests uint64
	// HandedOver is the number of connections that net/http took over.
	HandedOver uint64
	// Reasons says why connections were handed over. A reason is a short
	// English text, such as "large head", and is meant for people; its wording
	// can change.
	Reasons map[string]uint64
}

// A reason says why a connection is handed over to net/http.
type reason uint8

const (
	noReason reason = iota
	reasonHTTP2
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
	reasonHTTP2:            "HTTP/2",
	reasonProtocols:        "HTTP/1 is disabled",
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
	reasonCutHead:          "connection ended inside a head",
}

func (r reason) String() string { return reasonTexts[r] }

// counters is the storage behind Stats.
type counters struct {
	connections atomic.Uint64
	served      atomic.Uint64 // by connections that ended
	handed      [numReasons]atomic.Uint64
}

// Stats returns the counts so far.
func (s *Server) Stats() Stats {
	st := Stats{
		Connections: s.stat.connections.Load(),
		Reasons:     make(map[string]uint64),
	}
	s.mu.Lock()
	st.Requests = s.stat.served.Load()
	for c := range s.conns {
		st.Requests += c.requests.Load()
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
