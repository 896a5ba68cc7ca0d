package server_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

// Event streams learn at the end of DrainDelay that the server drains. If they
// return then, nothing is cut off.
func TestEventStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			const delay = time.Second
			drains := make(chan time.Time, 1)
			_, addr, stop := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx, cancel := context.WithCancel(r.Context()) // as middleware derives one
				defer cancel()
				io.WriteString(w, "event\n")
				http.NewResponseController(w).Flush()
				select {
				case <-server.Draining(ctx):
					drains <- time.Now()
					io.WriteString(w, "last\n")
				case <-ctx.Done():
				}
			}), func(s *server.Server) { v.configure(t, s); s.DrainDelay = delay; s.DrainTimeout = longest })
			tr := v.transport()
			defer tr.CloseIdleConnections()
			resp, err := (&http.Client{Transport: tr}).Get(v.scheme + addr)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			lines := bufio.NewScanner(resp.Body)
			lines.Scan()
			began := time.Now()
			if err := stop(); err != nil {
				t.Errorf("stop: %v", err)
			}
			select {
			case at := <-drains:
				if at.Sub(began) < delay {
					t.Errorf("the handler was told to end %v after the stop, want %v", at.Sub(began), delay)
				}
			default:
				t.Error("the handler was not told")
			}
			if !lines.Scan() || lines.Text() != "last" || lines.Scan() || lines.Err() != nil {
				t.Errorf("the stream's end: %q, %v; want a last line and a clean end", lines.Text(), lines.Err())
			}
		})
	}
}

func TestDrainingElsewhere(t *testing.T) {
	if c := server.Draining(context.Background()); c != nil {
		t.Error("Draining of a foreign context is not nil")
	}
}

func TestNotifyContextEndsWithItsParentAndByStop(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	ctx, stop := server.NotifyContext(parent)
	cancel()
	<-ctx.Done()
	stop()
	ctx, stop = server.NotifyContext(context.Background())
	if ctx.Err() != nil {
		t.Error("ended before anything happened")
	}
	stop()
	<-ctx.Done()
}

// ErrorHandler is in the context of requests, together with the values of the
// user's BaseContext.
func TestErrorHandler(t *testing.T) {
	type key struct{}
	_, addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(key{}) != "set" {
			t.Error("BaseContext was lost")
		}
		problem.Write(w, r, problem.Code(http.StatusTeapot))
	}), func(s *server.Server) {
		s.LivePath = "/livez"
		s.ErrorHandler = problem.JSON
		s.HTTP.BaseContext = func(net.Listener) context.Context { return context.WithValue(context.Background(), key{}, "set") }
	})
	for _, c := range []struct{ path, want string }{
		{"/", `{"title":"I'm a teapot","status":418}` + "\n"},
		{"/livez", `{"title":"Method Not Allowed","status":405}` + "\n"},
	} {
		resp, err := http.Post("http://"+addr+c.path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != c.want {
			t.Errorf("POST %s: %s, want %s", c.path, got, c.want)
		}
	}
}
