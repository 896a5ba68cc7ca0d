package server

import "time"

// Pulse returns the waiting time that s has measured since it began to serve.
func Pulse(s *Server) time.Duration { return s.ln.Load().pulse.now() }
