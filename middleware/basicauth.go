package middleware

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

// BasicAuth passes a request on if check accepts its user and password (RFC
// 7617). It answers every other request with 401 Unauthorized and a challenge
// for realm. It doesn't call check for a request without credentials, or with
// several or malformed ones.
//
// check must take the same time for every wrong answer, or else the time tells
// how much of it was right. Compare hashes of both user and password with
// [crypto/subtle.ConstantTimeCompare], as the example does. BasicAuth itself
// compares nothing. check runs for every request and for several requests at a
// time. The slow hashes that passwords of people need are too slow for that;
// use a session for those.
//
// realm must not contain control characters. Quotes and backslashes are
// escaped. A nil check panics.
func BasicAuth(realm string, check func(user, pass string) bool) func(http.Handler) http.Handler {
	if check == nil {
		panic("middleware: BasicAuth: check is nil; give a function that compares user and password in constant time")
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
	if user, pass, ok := credentials(r.Header["Authorization"]); ok && h.check(user, pass) {
		h.next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Www-Authenticate", h.challenge)
	problem.Write(w, r, problem.Code(http.StatusUnauthorized))
}

// credentials does what r.BasicAuth does with one allocation instead of two,
// and only for a single header: of two, another hop may have checked the one
// that isn't read here.
func credentials(headers []string) (user, pass string, ok bool) {
	const scheme = "Basic "
	if len(headers) != 1 || len(headers[0]) < len(scheme) {
		return "", "", false
	}
	if given := headers[0][:len(scheme)]; given != scheme && !strings.EqualFold(given, scheme) {
		return "", "", false
	}
	var buf [96]byte // enough for most
	decoded, err := base64.StdEncoding.AppendDecode(buf[:0], []byte(headers[0][len(scheme):]))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}
