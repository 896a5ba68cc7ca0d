package middleware

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// BasicAuth calls the next handler if check returns true for the user name and
// password of the request (RFC 7617). Otherwise it responds with 401
// Unauthorized and a challenge for realm. It doesn't call check if the request
// has no credentials, several, or malformed ones.
//
// check must take constant time, so that clients can't guess credentials by
// measuring the time. Compare hashes of user and password with
// [crypto/subtle.ConstantTimeCompare], as in the example. check is called for
// every request, from several goroutines. Password hashes such as bcrypt are
// too slow for that; for user accounts, use sessions.
//
// BasicAuth escapes quotes and backslashes in realm. It panics if realm
// contains control characters or check is nil.
func BasicAuth(realm string, check func(user, pass string) bool) func(http.Handler) http.Handler {
	if check == nil {
		panic("middleware: BasicAuth: check is nil; pass a function that compares user and password in constant time")
	}
	if !isFieldValue(realm) {
		panic(fmt.Sprintf("middleware: BasicAuth: the realm %q contains a control character; remove it", realm))
	}
	challenge := `Basic realm="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(realm) + `", charset="UTF-8"`
	return func(next http.Handler) http.Handler { return &basicAuthHandler{next, check, challenge} }
}

type basicAuthHandler struct {
	next      http.Handler
	check     func(user, pass string) bool
	challenge string
}

func (h *basicAuthHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if user, pass, ok := credentials(r); ok && h.check(user, pass) {
		h.next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Www-Authenticate", h.challenge)
	problem.Write(w, r, problem.Code(http.StatusUnauthorized))
}

// credentials returns the credentials of r. It reports false if r has several
// Authorization headers, because a proxy may have checked another one than the
// first.
func credentials(r *http.Request) (user, pass string, ok bool) {
	if len(r.Header["Authorization"]) != 1 {
		return "", "", false
	}
	return r.BasicAuth()
}
