package server_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/server"
)

// TestWritersKeepTheirMethods checks that the writers have the same methods as
// net/http's, so that type assertions in libraries have the same result.
func TestWritersKeepTheirMethods(t *testing.T) {
	methods := func(w any) (names []string) {
		for name, ok := range map[string]bool{
			"Flusher":       is[http.Flusher](w),
			"FlushError":    is[interface{ FlushError() error }](w),
			"Hijacker":      is[http.Hijacker](w),
			"Pusher":        is[http.Pusher](w),
			"CloseNotifier": is[http.CloseNotifier](w), //lint:ignore SA1019 on purpose
			"ReaderFrom":    is[io.ReaderFrom](w),
			"StringWriter":  is[io.StringWriter](w),
			"ReadDeadline":  http.NewResponseController(w.(http.ResponseWriter)).SetReadDeadline(time.Time{}) == nil,
			"WriteDeadline": http.NewResponseController(w.(http.ResponseWriter)).SetWriteDeadline(time.Time{}) == nil,
			"FullDuplex":    http.NewResponseController(w.(http.ResponseWriter)).EnableFullDuplex() == nil,
		} {
			if ok {
				names = append(names, name)
			}
		}
		return names
	}
	for _, v := range variants {
		seen := make(chan []string, 2)
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
		want, got := <-seen, <-seen
		if len(want) != len(got) || !reflect.DeepEqual(set(want), set(got)) {
			t.Errorf("%s: %v, want %v", v.name, got, want)
		}
		c.CloseIdleConnections()
		bare.Close()
	}
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

func set(names []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}
