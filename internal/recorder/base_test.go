package recorder

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// hidden has no Unwrap method. The Unwrap method of opaque returns nil.
type (
	hidden struct{ http.ResponseWriter }
	opaque struct{ http.ResponseWriter }
)

func (opaque) Unwrap() http.ResponseWriter { return nil }

func TestBase(t *testing.T) {
	server := httptest.NewRecorder()
	wrapped, _ := Wrap(server)
	noWay, dead := hidden{server}, opaque{server}
	for _, tt := range []struct {
		name    string
		w, want http.ResponseWriter
	}{
		{"itself", server, server},
		{"recorder", wrapped, server},
		{"recorder in a wrapper", belowUnwrap{plain{wrapped}}, server},
		{"no Unwrap", noWay, noWay},
		{"Unwrap returns nil", dead, dead},
	} {
		if got := Base(tt.w); got != tt.want {
			t.Errorf("%s: Base returns %T, want %T", tt.name, got, tt.want)
		}
	}
}

// TestProgress checks Of with net/http's writers on real connections. It fails
// if a Go release renames the fields that Of reads.
func TestProgress(t *testing.T) {
	nothing := func(w http.ResponseWriter) {}
	early := func(w http.ResponseWriter) { w.WriteHeader(http.StatusEarlyHints) }
	status := func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot) }
	write := func(w http.ResponseWriter) { io.WriteString(w, "x") }
	takeOver := func(w http.ResponseWriter) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
	}
	tooLate := func(w http.ResponseWriter) {
		rc := http.NewResponseController(w)
		rc.SetWriteDeadline(time.Unix(1, 0))
		rc.Flush()
	}
	tooMuch := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "1")
		io.Copy(w, struct{ io.Reader }{strings.NewReader("xx")})
	}
	bare := func(w http.ResponseWriter) http.ResponseWriter { return w }
	recorded := func(w http.ResponseWriter) http.ResponseWriter { w, _ = Wrap(w); return w }
	wrapped := func(w http.ResponseWriter) http.ResponseWriter { return belowUnwrap{plain{recorded(w)}} }
	unwrapping := func(w http.ResponseWriter) http.ResponseWriter { return belowUnwrap{plain{w}} }
	late := func(w http.ResponseWriter) http.ResponseWriter { io.WriteString(w, "x"); return recorded(w) }
	closed := func(w http.ResponseWriter) http.ResponseWriter { return hidden{w} }
	for _, tt := range []struct {
		proto string
		name  string
		wrap  func(http.ResponseWriter) http.ResponseWriter
		do    func(http.ResponseWriter)
		want  Progress
	}{
		{"HTTP/1.1", "nothing", bare, nothing, Unsent},
		{"HTTP/1.1", "early hints", bare, early, Unsent},
		{"HTTP/1.1", "status", bare, status, Started},
		{"HTTP/1.1", "write", bare, write, Started},
		{"HTTP/1.1", "hijack", bare, takeOver, Hijacked},
		{"HTTP/1.1", "write below a wrapper", unwrapping, write, Started},
		{"HTTP/1.1", "recorder, nothing", recorded, nothing, Unsent},
		{"HTTP/1.1", "recorder, write", recorded, write, Started},
		{"HTTP/1.1", "recorder, hijack", recorded, takeOver, Hijacked},
		{"HTTP/1.1", "recorder, flush that fails", recorded, tooLate, Started},
		{"HTTP/1.1", "recorder, more than its length", recorded, tooMuch, Started},
		{"HTTP/1.1", "recorder, write before", late, nothing, Started},
		{"HTTP/1.1", "recorder below a wrapper", wrapped, write, Started},
		{"HTTP/1.1", "no Unwrap", closed, write, Unknown},
		{"HTTP/2.0", "nothing", bare, nothing, Unsent},
		{"HTTP/2.0", "status", bare, status, Started},
		{"HTTP/2.0", "write", bare, write, Started},
		{"HTTP/2.0", "recorder, nothing", recorded, nothing, Unsent},
		{"HTTP/2.0", "recorder, write", recorded, write, Started},
		{"HTTP/2.0", "recorder, write before", late, nothing, Started},
	} {
		got, proto := make(chan Progress, 1), ""
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			proto = r.Proto
			w = tt.wrap(w)
			tt.do(w)
			got <- Of(w)
		}))
		srv.EnableHTTP2 = tt.proto == "HTTP/2.0"
		srv.StartTLS()
		if resp, err := srv.Client().Get(srv.URL); err == nil {
			resp.Body.Close()
		}
		select {
		case p := <-got:
			if p != tt.want || proto != tt.proto {
				t.Errorf("%s, %s: %v over %s, want %v", tt.proto, tt.name, p, proto, tt.want)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s, %s: no request arrived", tt.proto, tt.name)
		}
		srv.Close()
	}
}

func TestProgressOfTestRecorderAndTimeoutHandler(t *testing.T) {
	w := httptest.NewRecorder()
	if got := Of(w); got != Unsent {
		t.Errorf("httptest recorder: %v, want Unsent", got)
	}
	w.WriteHeader(200)
	if got := Of(w); got != Started {
		t.Errorf("httptest recorder after WriteHeader: %v, want Started", got)
	}
	var before, after Progress
	http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before = Of(w)
		io.WriteString(w, "x")
		after = Of(w)
	}), time.Minute, "").ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if before != Unsent || after != Started {
		t.Errorf("http.TimeoutHandler: %v, then %v; want Unsent, then Started", before, after)
	}
}

func TestOwn(t *testing.T) {
	recorded := func(w http.ResponseWriter) http.ResponseWriter { w, _ = Wrap(w); return w }
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0", "none"} {
		for _, tt := range []struct {
			name string
			wrap func(http.ResponseWriter) http.ResponseWriter
			want bool
		}{
			{"bare", func(w http.ResponseWriter) http.ResponseWriter { return w }, true},
			{"recorder", recorded, true},
			{"wrapper", func(w http.ResponseWriter) http.ResponseWriter { return belowUnwrap{plain{w}} }, false},
			{"recorder in a wrapper", func(w http.ResponseWriter) http.ResponseWriter { return belowUnwrap{plain{recorded(w)}} }, false},
			{"wrapper in a recorder", func(w http.ResponseWriter) http.ResponseWriter { return recorded(belowUnwrap{plain{w}}) }, false},
			{"no Unwrap", func(w http.ResponseWriter) http.ResponseWriter { return hidden{w} }, false},
			{"no Unwrap in a wrapper", func(w http.ResponseWriter) http.ResponseWriter { return belowUnwrap{plain{hidden{w}}} }, false},
			{"Unwrap that leads nowhere", func(w http.ResponseWriter) http.ResponseWriter { return opaque{w} }, false},
			{"recorder around no Unwrap", func(w http.ResponseWriter) http.ResponseWriter { return recorded(hidden{w}) }, false},
		} {
			got := make(chan bool, 1)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				own := Own(tt.wrap(w))
				// A cache returns the same, whatever writers it has seen before.
				for _, first := range []http.ResponseWriter{w, recorded(w), recorded(hidden{w}), belowUnwrap{plain{w}}, hidden{w}, tt.wrap(w)} {
					var c Cache
					c.Own(first)
					if o := c.Own(tt.wrap(w)); o != own {
						t.Errorf("%s, %s, after %T: the cache says %v, want %v", proto, tt.name, first, o, own)
					}
				}
				got <- own
			})
			if proto == "none" {
				h.ServeHTTP(httptest.NewRecorder(), nil)
			} else {
				srv := httptest.NewUnstartedServer(h)
				srv.EnableHTTP2 = proto == "HTTP/2.0"
				srv.StartTLS()
				resp, err := srv.Client().Get(srv.URL)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				srv.Close()
			}
			if own := <-got; own != tt.want {
				t.Errorf("%s, %s: %v, want %v", proto, tt.name, own, tt.want)
			}
		}
	}
}

// TestJudge checks that a rejected response isn't sent, with any method, until
// TakeBack is called. Then another response can be sent.
func TestJudge(t *testing.T) {
	server := httptest.NewRecorder()
	w, rec := Wrap(belowFHR{plain: plain{server}})
	asked := 0
	rec.SetJudge(judge(func(code int) bool { asked++; return code == 307 }))
	w.WriteHeader(307)
	w.WriteHeader(200)
	io.WriteString(w, "dropped")
	w.Write([]byte("dropped"))
	w.(http.Flusher).Flush()
	http.NewResponseController(w).Flush()
	n, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader("dropped"))
	if server.Body.Len() != 0 || rec.Status() != 307 || rec.Bytes() != 0 || !rec.Started() || asked != 1 || n != 7 || err != nil {
		t.Errorf("server has %d %q, recorder %d, %d bytes, started %v; asked %d times", server.Code, server.Body, rec.Status(), rec.Bytes(), rec.Started(), asked)
	}
	rec.SetJudge(nil)
	if !rec.TakeBack() || rec.TakeBack() || rec.Started() {
		t.Error("taken back not once")
	}
	w.WriteHeader(201)
	io.WriteString(w, "sent")
	if server.Body.String() != "sent" || rec.Status() != 201 || rec.Bytes() != 4 {
		t.Errorf("server has %q, recorder %d, %d bytes", server.Body, rec.Status(), rec.Bytes())
	}
}

type judge func(int) bool

func (j judge) TurnDown(code int) bool { return j(code) }
