package server

import (
	"log/slog"
	"time"
)

// Pulse returns the waiting time that s has measured since it began to serve.
func Pulse(s *Server) time.Duration { return s.ln.Load().pulse.now() }

// LogOf returns the logger that s uses.
func LogOf(s *Shed) *slog.Logger { return s.logger() }
