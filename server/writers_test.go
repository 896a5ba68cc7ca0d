package server_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestWritersKeepTheirMethods checks that the writers have the same methods as
// net/http's, so that type assertions in libraries have the same result.
func TestWritersKeepTheirMethods(t *testing.T) {
	methods := func(w http.ResponseWriter) string {
		_, flusher := w.(http.Flusher)
		_, flushError := w.(interface{ FlushError() error })
		_, hijacker := w.(http.Hijacker)
		_, pusher := w.(http.Pusher)
		_, notifier := w.(http.CloseNotifier) //lint:ignore SA1019 on purpose
		_, readerFrom := w.(io.ReaderFrom)
		_, stringWriter := w.(io.StringWriter)
		rc := http.NewResponseController(w)
		return fmt.Sprint("Flusher ", flusher, ", FlushError ", flushError, ", Hijacker ", hijacker, ", Pusher ", pusher, ", CloseNotifier ", notifier,
			", ReaderFrom ", readerFrom, ", StringWriter ", stringWriter, ", ReadDeadline ", rc.SetReadDeadline(time.Time{}),
			", WriteDeadline ", rc.SetWriteDeadline(time.Time{}), ", FullDuplex ", rc.EnableFullDuplex())
	}
	for _, v := range variants {
		seen := make(chan string, 2)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen <- methods(w); hello(w, r) })
		bare := httptest.NewUnstartedServer(h)
		bare.EnableHTTP2 = true
		bare.Config.Protocols = server.New("", h).HTTP.Protocols
		bare.Config.Protocols.SetUnencryptedHTTP2(true)
		if v.scheme == "https://" {
			bare.StartTLS()
		} else {
			bare.Start()
		}
		_, addr, _ := start(t, h, func(s *server.Server) { v.configure(t, s) })
		c := &http.Client{Transport: v.transport()}
		if err := errors.Join(get(c, bare.URL), get(c, v.scheme+addr)); err != nil {
			t.Fatal(err)
		}
		if want, got := <-seen, <-seen; got != want {
			t.Errorf("%s: %s, want %s", v.name, got, want)
		}
		c.CloseIdleConnections()
		bare.Close()
	}
}
