package middleware

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

// BasicAuth lets a request pass for which check approves of the user and the password that it carries (RFC 7617), and
// answers any other with 401 Unauthorized and a challenge for realm. check isn't called for a request with no, several or
// malformed credentials.
//
// check must take the same time for every wrong answer, or the time betrays how much of it was right: compare hashes, of
// user and password both, with [crypto/subtle.ConstantTimeCompare], as the example does. BasicAuth itself compares nothing.
// It runs for every request, so for passwords that people choose, with their deliberately slow hashes, keep a session.
//
// realm must hold no control character; quotes and backslashes are escaped. A nil check panics.
func BasicAuth(realm string, check func(user, pass string) bool) func(http.Handler) http.Handler {
	if check == nil {
		panic("middleware: BasicAuth: check is nil; give a function that compares user and password in constant time")
	}
	if !isFieldValue(realm) {
		panic(fmt.Sprintf("middleware: BasicAuth: the realm %q holds a control character; remove it", realm))
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
	fail(w, http.StatusUnauthorized)
}

// credentials is r.BasicAuth with one allocation instead of two, for exactly one header: of two, another hop may have
// checked the one that isn't read here.
func credentials(headers []string) (user, pass string, ok bool) {
	const scheme = "Basic "
	if len(headers) != 1 || len(headers[0]) < len(scheme) {
		return "", "", false
	}
	if given := headers[0][:len(scheme)]; given != scheme && !strings.EqualFold(given, scheme) {
		return "", "", false
	}
	var room [96]byte // for most
	decoded, err := base64.StdEncoding.AppendDecode(room[:0], []byte(headers[0][len(scheme):]))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}
