package h2

// Limits for what clients can make the server do (RFC 9113 section 10.5). A
// client that exceeds one is told ENHANCE_YOUR_CALM, and its connection ends.
const (
	// Frames that cost work but don't help any request, less requests that
	// succeed: at most maxUseless at once, and uselessPerSecond in the long run.
	maxUseless       = 10_000
	uselessPerSecond = 1_000

	// DATA makes that many bytes for each WINDOW_UPDATE and PING of the client
	// useful. Clients send at most two WINDOW_UPDATEs for each Read of a body,
	// and some measure their bandwidth with PINGs.
	bytesPerCredit = 128

	// How many such frames may come at once: a client that is late answers all DATA
	// that the buffers between it and the server hold, which is a few megabytes.
	maxCredit = 1 << 20

	// Errors of the client that reset a stream, less the requests that
	// succeed. Each can start a handler in vain (CVE-2025-8671).
	maxErrors = 200

	// A block of fields: bytes above the limit for the fields themselves, and
	// frames (CVE-2023-45288).
	blockSlack  = 4 << 10
	blockFrames = 16

	// Requests that wait for others to end, in units of MaxConcurrentStreams.
	// Canceled ones count, too (CVE-2023-44487).
	maxWaiting = 4

	// Bytes that wait to be written and that no handler has waited for.
	maxControl = 256 << 10
)

// limits counts what a client does. Only the reader uses it.
type limits struct {
	useless   int
	errors    int
	lastDecay int64 // when useless was last decreased
}

// count counts a frame.
func (l *limits) count(c *Conn, f *frame) error {
	switch f.kind {
	case frameHeaders, frameData: // see data
		return nil
	case frameWindowUpdate, framePing:
		c.mu.Lock()
		sent := c.credit > 0
		c.credit = max(0, c.credit-1)
		c.mu.Unlock()
		if sent {
			return nil
		}
	}
	return l.uselessFrame(c)
}

// data counts n bytes of a body.
func (l *limits) data(c *Conn, n int) error {
	if n == 0 {
		return l.uselessFrame(c)
	}
	l.useless = max(0, l.useless-1)
	return nil
}

func (l *limits) uselessFrame(c *Conn) error {
	if l.useless++; l.useless <= maxUseless {
		return nil
	}
	now := c.server.clock.Now()
	l.useless -= int(min((now-l.lastDecay)/(1e9/uselessPerSecond), maxUseless))
	l.lastDecay = now
	if l.useless <= maxUseless {
		return nil
	}
	return connError{enhanceYourCalm, "too_many_useless_frames"}
}

// clientError counts an error of the client that resets a stream.
func (l *limits) clientError() error {
	if l.errors++; l.errors > maxErrors {
		return connError{enhanceYourCalm, "too_many_errors"}
	}
	return nil
}

// block checks a block of fields that hasn't arrived completely.
func (l *limits) block(c *Conn, length, frames int) error {
	if length > c.server.maxList+blockSlack || frames > blockFrames+length/1024 {
		return connError{enhanceYourCalm, "headers_too_large"}
	}
	return nil
}

// succeeded counts requests that were served.
func (l *limits) succeeded(n int) {
	l.errors = max(0, l.errors-n)
	l.useless = max(0, l.useless-8*n)
}
