package alarm

import (
	"cmp"
	"math"
	"net/http"
	"time"
)

// Timeouts are the timeouts of a server in nanoseconds, 0 for none.
type Timeouts struct{ Head, Read, Write, Idle int64 }

// TimeoutsOf returns the timeouts of srv.
func TimeoutsOf(srv *http.Server) Timeouts {
	return Timeouts{
		Head:  Nanoseconds(srv.ReadHeaderTimeout, srv.ReadTimeout),
		Read:  Nanoseconds(srv.ReadTimeout),
		Write: Nanoseconds(srv.WriteTimeout),
		Idle:  Nanoseconds(srv.IdleTimeout, srv.ReadTimeout),
	}
}

// Nanoseconds returns the first duration that is not 0, or 0 if that is
// negative. Sums of a time and the result don't overflow.
func Nanoseconds(d ...time.Duration) int64 { return min(max(0, int64(cmp.Or(d...))), math.MaxInt64/2) }
