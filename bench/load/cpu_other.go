//go:build !unix

package load

import "math"

// cpuMicros is not known here; figures per request become NaN.
func cpuMicros() float64 { return math.NaN() }
