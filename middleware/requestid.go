package middleware

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
)

// RequestID gives each request an id: the client's X-Request-ID if there is
// exactly one and it has 1 to 128 characters of [A-Za-z0-9._-], or else a new
// one of 32 hexadecimal digits. It sets the response's X-Request-ID, and
// [GetRequestID] returns the id.
//
// A new id is 128 random bits of math/rand/v2, whose generator (ChaCha8, one
// per thread, seeded by the operating system) doesn't repeat across processes
// or after a restart. Ids are for finding a request in logs. They are no
// secret, and clients may send the same one twice: don't rely on them for
// anything else.
func RequestID(next http.Handler) http.Handler { return &requestIDHandler{next} }

// GetRequestID returns the id that [RequestID] gave to the request of ctx, ""
// if there is none.
func GetRequestID(ctx context.Context) string {
	if ctx == nil {
		return ""
	}
	return requestid.FromContext(ctx)
}

type requestIDHandler struct{ next http.Handler }

func (h *requestIDHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := ""
	if ids := r.Header[requestid.Header]; len(ids) == 1 && requestid.Valid(ids[0]) {
		id = ids[0]
	} else {
		id = newRequestID()
	}
	ctx := requestid.NewContext(r.Context(), id)
	w.Header()[requestid.Header] = ctx.HeaderValues()
	setContext(r, ctx) // and never back: it only adds the id
	h.next.ServeHTTP(w, r)
}

// setContext gives r itself another context. What WithContext returns stays on
// the stack.
func setContext(r *http.Request, ctx context.Context) { *r = *r.WithContext(ctx) }

func newRequestID() string {
	var id [32]byte
	hi, lo := rand.Uint64(), rand.Uint64()
	binary.LittleEndian.PutUint64(id[0:], hexDigits(uint32(hi)))
	binary.LittleEndian.PutUint64(id[8:], hexDigits(uint32(hi>>32)))
	binary.LittleEndian.PutUint64(id[16:], hexDigits(uint32(lo)))
	binary.LittleEndian.PutUint64(id[24:], hexDigits(uint32(lo>>32)))
	return string(id[:])
}

// hexDigits returns the 8 hexadecimal digits of x as 8 bytes, the lowest digit
// in the lowest byte.
func hexDigits(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f                           // one digit a byte
	letters := (v + 0x0606060606060606) >> 4 & 0x0101010101010101 // 1 where the digit is 10 or more
	return v + 0x3030303030303030 + letters*('a'-'0'-10)
}
