// Package conform has the handler of the servers whose conformance to RFC 9110 and
// 9112 is tested.
package conform

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Handler says what it has received, and responds in different ways to paths. It
// refuses malformed bodies, as programs do.
func Handler(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case r.URL.Path == "/probe":
		w.Header().Set("X-Probe", "served")
	case r.URL.Path == "/close":
		w.Header().Set("Connection", "close")
	case r.URL.Path == "/204", r.URL.Path == "/304", r.URL.Path == "/404":
		code, _ := strconv.Atoi(r.URL.Path[1:])
		w.WriteHeader(code)
		io.WriteString(w, "xxx")
		return
	case r.URL.Path == "/big":
		w.Header().Set("Content-Length", "3000")
		io.WriteString(w, strings.Repeat("x", 3000))
		return
	case r.URL.Path == "/flush":
		io.WriteString(w, "xxx")
		w.(http.Flusher).Flush()
		return
	}
	fmt.Fprintf(w, "method=%s; uri=%s; host=%s; body=%s;", r.Method, r.RequestURI, r.Host, b)
	if x, ok := r.Header["X"]; ok {
		fmt.Fprintf(w, " X=%s;", strings.Join(x, ","))
	}
}
