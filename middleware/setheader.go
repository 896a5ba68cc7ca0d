package middleware

import (
	"fmt"
	"net/http"
)

// SetHeader sets a response header before calling the next handler, which can
// change or delete it. SetHeader panics if the name or value is invalid.
func SetHeader(key, value string) func(http.Handler) http.Handler {
	if !isToken(key) {
		panic(fmt.Sprintf("middleware: SetHeader: %q is not a header name; use letters, digits and hyphens", key))
	}
	if !isFieldValue(value) {
		panic(fmt.Sprintf("middleware: SetHeader: the value %q of %s contains a control character; remove it", value, key))
	}
	key = http.CanonicalHeaderKey(key)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()[key] = []string{value} // not shared, because the handler may modify it
			next.ServeHTTP(w, r)
		})
	}
}
