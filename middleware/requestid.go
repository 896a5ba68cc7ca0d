package middleware

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"

	"github.com/seed-1954dcaa/muxmaster/internal/requestid"
)

// RequestID assigns an ID to each request: the X-Request-ID header of the
// request if there is exactly one and it consists of 1 to 128 of the characters
// [A-Za-z0-9._-], otherwise a new ID of 32 hexadecimal digits. It sets the
// X-Request-ID header of the response. [GetRequestID] returns the ID.
//
// New IDs are 128 random bits from math/rand/v2 (ChaCha8, seeded by the
// operating system), so they don't repeat across processes or restarts. Use IDs
// only to find requests in logs: they are not secret, and clients can send the
// same ID twice.
func RequestID(next http.Handler) http.Handler { return &requestIDHandler{next} }

// GetRequestID returns the ID that [RequestID] stored in ctx, or "" if there is
// none.
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
	setContext(r, ctx) // not restored afterwards, because it only adds the ID
	h.next.ServeHTTP(w, r)
}

// setContext replaces the context of r in place. The request that WithContext
// returns doesn't escape to the heap.
func setContext(r *http.Request, ctx context.Context) { *r = *r.WithContext(ctx) }

func newRequestID() string {
	var id [16]byte
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	return hex.EncodeToString(id[:])
}
