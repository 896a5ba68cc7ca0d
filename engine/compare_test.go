package engine

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
)

var dates = regexp.MustCompile(`Date: [^\r\n]*`)

// compared is a handler that behaves differently for each path.
func compared(w http.ResponseWriter, r *http.Request) {
	switch { // net/http doesn't do this
	case r.ProtoMajor == 1 && refuseHost(w, r):
		return
	case r.ProtoMajor == 1 && r.Method == "CONNECT":
		withoutFraming(w.Header())
	}
	switch r.URL.Path {
	case "/echo":
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %d %v %q %v %q", r.Method, r.ContentLength, r.TransferEncoding, b, err, r.Trailer)
	case "/dump":
		fmt.Fprintf(w, "%s %s %s %q %q %q host %q len %d close %v te %v\n", r.Method, r.RequestURI, r.Proto,
			r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.Host, r.ContentLength, r.Close, r.TransferEncoding)
		r.Header.Write(w)
	case "/big":
		for range 100 {
			io.WriteString(w, strings.Repeat("x", 100))
		}
	case "/bigbytes":
		w.Write(make([]byte, 1000))
		w.Write(make([]byte, 10000))
		w.Write(make([]byte, 100))
	case "/flush":
		io.WriteString(w, "a")
		w.(http.Flusher).Flush()
		io.WriteString(w, "b")
	case "/echolate": // reads the body, responds, and reads again
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%q %v", b, err)
		w.(http.Flusher).Flush()
		b, err = io.ReadAll(r.Body)
		fmt.Fprintf(w, "%q %v", b, err)
	case "/length":
		w.Header().Set("Content-Length", "5")
		io.WriteString(w, "hello")
	case "/short":
		w.Header().Set("Content-Length", "50")
		io.WriteString(w, "hello")
	case "/long":
		w.Header().Set("Content-Length", "3")
		_, err := io.WriteString(w, "hello")
		if err != http.ErrContentLength {
			panic(err)
		}
	case "/badlength":
		w.Header().Set("Content-Length", "minus")
		io.WriteString(w, "hello")
	case "/204":
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(204)
	case "/304":
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Etag", `"x"`)
		w.WriteHeader(304)
	case "/599":
		w.WriteHeader(599)
	case "/999":
		w.WriteHeader(999)
		io.WriteString(w, "odd")
	case "/103":
		w.Header().Set("Link", "</x>")
		w.WriteHeader(103)
		w.Header().Set("X", "1")
		io.WriteString(w, "after hints")
	case "/close":
		w.Header().Set("Connection", "close")
		io.WriteString(w, "bye")
	case "/headers":
		h := w.Header()
		h["Z"] = []string{"1", "2"}
		h["a lower"] = []string{"dropped"}
		h["lower"] = []string{"kept"}
		h.Set("Split", "a\r\nb: c")
		h.Set("Spaces", "  x  ")
		h["Date"] = nil
		h.Set("Content-Type", "text/x")
		w.WriteHeader(418)
		h.Set("Late", "no")
		io.WriteString(w, "teapot")
	case "/notype":
		w.Header()["Content-Type"] = nil
		io.WriteString(w, "<html>")
	case "/trailers":
		w.Header().Set("Trailer", "X-A, X-B, Content-Length")
		io.WriteString(w, "body")
		w.Header().Set("X-A", "1")
		w.Header().Set(http.TrailerPrefix+"X-C", "3")
	case "/trailerprefix":
		io.WriteString(w, "body")
		w.(http.Flusher).Flush()
		w.Header().Set(http.TrailerPrefix+"X-C", "3")
	case "/te":
		w.Header().Set("Transfer-Encoding", "chunked")
		io.WriteString(w, "body")
	case "/identity":
		w.Header().Set("Transfer-Encoding", "identity")
		io.WriteString(w, "body")
	case "/tecl":
		w.Header().Set("Transfer-Encoding", "chunked")
		w.Header().Set("Content-Length", "4")
		io.WriteString(w, "body")
	case "/panic":
		io.WriteString(w, "lost")
		panic(http.ErrAbortHandler)
	case "/panicafter":
		io.WriteString(w, "sent")
		w.(http.Flusher).Flush()
		io.WriteString(w, "lost")
		panic(http.ErrAbortHandler)
	case "/readfrom":
		io.Copy(w, io.LimitReader(zeros{}, 5000))
	case "/readfromlength":
		w.Header().Set("Content-Length", "5000")
		io.Copy(w, io.LimitReader(zeros{}, 5000))
	case "/unreadclose":
		r.Body.Close()
		_, err := r.Body.Read(make([]byte, 1))
		fmt.Fprint(w, "closed ", err != nil && err != io.EOF)
	case "/duplex":
		http.NewResponseController(w).EnableFullDuplex()
		io.WriteString(w, "early")
		w.(http.Flusher).Flush()
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%q %v", b, err)
	case "/flushread":
		io.WriteString(w, "early")
		w.(http.Flusher).Flush()
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%q %v", b, err)
	case "/hijack", "/hijacksome":
		if r.URL.Path == "/hijacksome" {
			io.ReadFull(r.Body, make([]byte, 3))
		}
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		b, _ := io.ReadAll(rw)
		fmt.Fprintf(rw, "hijacked %q", b)
		rw.Flush()
	case "/tunnel": // passes on the response of another server
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 501 Not Implemented"+errorHeaders+"tunnel")
	case "/some": // reads part of the body
		n, err := io.ReadFull(r.Body, make([]byte, 3))
		fmt.Fprint(w, n, err)
	case "/readlate":
		io.WriteString(w, "early")
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%q %v %v", b, err, r.Trailer)
	case "/keepalive":
		w.Header().Set("Connection", "keep-alive")
		io.WriteString(w, "kept")
	case "/100":
		w.WriteHeader(100)
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%q %v", b, err)
	case "/set": // the query is the key, =, and for values a colon and the values
		key, values, _ := strings.Cut(r.URL.RawQuery, "=")
		w.Header()[key] = nil
		if values != "" {
			w.Header()[key] = strings.Split(values[1:], "|")
		}
		switch r.Header.Get("Then") {
		case "flush":
			w.(http.Flusher).Flush()
		case "WriteHeader":
			w.WriteHeader(201)
		case "304":
			w.WriteHeader(304)
			return
		case "nothing":
			return
		}
		io.WriteString(w, "body")
	case "/encodings": // only the first value counts
		w.Header()["Content-Encoding"] = []string{"", "gzip"}
		w.Header()["Connection"] = []string{"", "keep-alive"}
		io.WriteString(w, "<p>text")
	case "/code":
		defer func() { fmt.Fprint(w, recover()) }()
		w.WriteHeader(99)
	case "/push":
		p, ok := w.(http.Pusher)
		fmt.Fprint(w, ok && p.Push("/x", nil) != http.ErrNotSupported)
	case "/hijackerror":
		_, is := w.(http.Hijacker)
		_, _, err := http.NewResponseController(w).Hijack()
		fmt.Fprint(w, is, errors.Is(err, http.ErrNotSupported))
	case "/maxbytes":
		b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 3))
		fmt.Fprintf(w, "%q %v", b, err)
	case "/replaced":
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		r.Body.Close()
	case "/nobody":
		w.WriteHeader(http.StatusNoContent)
		if _, err := io.WriteString(w, "x"); err != http.ErrBodyNotAllowed {
			panic(err)
		}
	case "/hints":
		for range 3 {
			w.Header().Set("Link", "</x>")
			w.WriteHeader(http.StatusEarlyHints)
		}
		w.Header().Del("Link")
		io.WriteString(w, "hints")
	case "/clear": // as httputil.ReverseProxy does
		w.WriteHeader(http.StatusEarlyHints)
		clear(w.Header())
		io.WriteString(w, "cleared")
	case "/empty":
	default:
		io.WriteString(w, r.URL.String())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// compare sends the parts to a server of each kind and reports differences.
func compare(t *testing.T, addrs []string, parts ...string) {
	t.Helper()
	if strings.Contains(parts[0], "/tecl HTTP/1.0") && !since("go1.26.11", "go1.27.4") {
		return // net/http says that it keeps the connection, and closes it
	}
	var want string
	for i, addr := range addrs {
		got := comparable(talk(t, addr, parts...))
		if i == 0 {
			want = got
		} else if !sameOutput(got, want, strings.Join(parts, "")) {
			at := 0
			for at < len(got) && at < len(want) && got[at] == want[at] {
				at++
			}
			at = max(0, at-200)
			t.Errorf("%s:\nsent %.300q\ngot  …%.400q\nwant …%.400q", kinds[i].name, parts, got[at:], want[min(at, len(want)):])
		}
	}
}

// comparable removes from a server's output what may differ. A response of
// net/http's own to a request that it can't serve has no Date, and the status 501
// for a Transfer-Encoding.
func comparable(out string) string {
	out = dates.ReplaceAllString(out, "Date: X")
	out = ownDate.ReplaceAllString(out, "$1"+errorHeaders)
	out = informational10.ReplaceAllString(out, "")
	return strings.ReplaceAll(out, "501 Not Implemented"+errorHeaders, "400 Bad Request"+errorHeaders)
}

// An ownDate is the Date of a response of net/http's own.
var ownDate = regexp.MustCompile(`(HTTP/1\.1 [^\r\n]*)\r\nDate: X` + errorHeaders)

// An informational10 is a response that the engine doesn't send to HTTP/1.0.
var informational10 = regexp.MustCompile(`HTTP/1\.0 1(0[^1]|[1-9]\d) [^\r]*\r\n([^\r]+\r\n)*\r\n`)

// TestOneResponse checks that a client of HTTP/1.0 gets no status 1xx (RFC 9110
// section 15.2), and that a connection closes after a response whose Connection
// header, in any spelling, says so (RFC 9112 section 9.6).
func TestOneResponse(t *testing.T) {
	for i, addr := range comparedServers(t)[1:] {
		for _, send := range []string{
			"GET /100 HTTP/1.0\r\n\r\n", "GET /103 HTTP/1.0\r\n\r\n", "GET /hints HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
			strings.Repeat("GET /set?Connection=:Close HTTP/1.1\r\nHost: h\r\n\r\n", 2),
			strings.Repeat("GET /set?Connection=:keep-alive|x,close HTTP/1.1\r\nHost: h\r\n\r\n", 2),
		} {
			if got := talk(t, addr, send); strings.Count(got, "HTTP/1.") != 1 || !strings.Contains(got, " 200 OK\r\n") {
				t.Errorf("%s: sent %q, got %q", engines[i].name, send, got)
			}
		}
	}
}

// A mayClose is sent on connections that the engine closes where net/http may
// violate RFC 9112, section 6.1 or 9.6.
var mayClose = regexp.MustCompile(`(?i)transfer-encoding|HTTP/1\.0|connection=:keep-alive\|close`)

var connectionLines = regexp.MustCompile(`Connection: (close|keep-alive)\r\n`)

// sameOutput reports whether the output of the engine is that of net/http, or
// the beginning of it if the connection may have to end.
func sameOutput(got, want, sent string) bool {
	if got == want || !mayClose.MatchString(sent) || !strings.Contains(got, "Connection: close\r\n") {
		return got == want
	}
	return strings.HasPrefix(connectionLines.ReplaceAllString(want, ""), connectionLines.ReplaceAllString(got, ""))
}

// comparedServers starts a server of each kind with handler compared.
func comparedServers(t *testing.T) (addrs []string) {
	for _, k := range kinds {
		srv := &http.Server{Handler: http.HandlerFunc(compared)}
		addrs = append(addrs, start(t, k.make(srv)))
	}
	return addrs
}

// comparedPaths are the paths of compared for all protocols.
var comparedPaths = strings.Fields(`/ /x?y /x? /x?? /a%20b /a%2Fb /! //host/x /a:b /dump /dump?a=b&c /big /bigbytes /flush
	/length /short /long /badlength /204 /304 /599 /999 /103 /close /headers /notype /trailers /trailerprefix /te
	/identity /tecl /panic /panicafter /readfrom /readfromlength /unreadclose /duplex /flushread /empty /some /readlate
	/keepalive /100 /encodings /echo /code /push /nobody /hints`)

// TestSameBytes compares the engine's output with net/http's for whole
// connections.
func TestSameBytes(t *testing.T) {
	addrs := comparedServers(t)
	for _, path := range append(comparedPaths, "/a%zz", "/echolate", "/hijack", "/hijacksome") {
		for _, method := range strings.Fields("GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE QUERY get") {
			compare(t, addrs, method+" "+path+" HTTP/1.1\r\nHost: h\r\n\r\n", "GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
			compare(t, addrs, method+" "+path+" HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"+
				"GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /never HTTP/1.1\r\nHost: h\r\n\r\n")
			compare(t, addrs, method+" "+path+" HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\nX: y\r\n\r\nGET /x HTTP/1.1\r\nHost: h\r\n\r\n")
			for _, cut := range []string{"Content-Length: 5\r\n\r\nhe", "Transfer-Encoding: chunked\r\n\r\n5\r\nhe", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nx\r\n"} {
				compare(t, addrs, method+" "+path+" HTTP/1.1\r\nHost: h\r\n"+cut)
			}
			compare(t, addrs, method+" "+path+" HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", "helloGET /x HTTP/1.1\r\nHost: h\r\n\r\n")
			for _, lines := range []string{"", "Connection: keep-alive\r\n", "Connection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"} {
				compare(t, addrs, method+" "+path+" HTTP/1.0\r\n"+lines+"\r\n", "GET /x HTTP/1.0\r\nHost: h\r\n\r\n")
			}
		}
	}
}

// TestSameBytesHeaders compares the engine's output with net/http's for response
// headers with a meaning for the server: without values, with an empty one, and
// with others.
func TestSameBytesHeaders(t *testing.T) {
	addrs := comparedServers(t)
	for _, key := range strings.Fields("Trailer Trailer:X Content-Length Transfer-Encoding Connection Content-Type Content-Encoding Date Upgrade Keep-Alive trailer content-length connection X") {
		for _, values := range []string{"", ":", ":|", ":x", ":4", ":0", ":close", ":keep-alive|close", ":close|x", ":chunked", ":identity", ":gzip", ":X|Y", ":X,Y"} {
			var all strings.Builder
			for _, method := range []string{"GET", "HEAD"} {
				for _, then := range []string{"", "flush", "WriteHeader", "304", "nothing"} {
					fmt.Fprintf(&all, "%s /set?%s=%s HTTP/1.1\r\nHost: h\r\nThen: %s\r\n\r\n", method, key, values, then)
				}
			}
			compare(t, addrs, all.String())
			for _, request := range strings.SplitAfter(strings.TrimSuffix(all.String(), "\r\n\r\n"), "\r\n\r\n") {
				compare(t, addrs, strings.TrimSuffix(request, "\r\n\r\n")+"\r\n\r\n")
				compare(t, addrs, strings.Replace(strings.TrimSuffix(request, "\r\n\r\n"), "HTTP/1.1", "HTTP/1.0", 1)+"\r\nConnection: keep-alive\r\n\r\n")
			}
		}
	}
}

// TestSameBytesLargeBodies compares the engine's output with net/http's for
// bodies around the size that net/http reads after the handler.
func TestSameBytesLargeBodies(t *testing.T) {
	addrs := comparedServers(t)
	var clients sync.WaitGroup
	for _, path := range strings.Fields("/empty /some /readlate /flushread /unreadclose /duplex") {
		for _, n := range []int{maxDrain - 1, maxDrain, maxDrain + 1, maxDrain + 2, maxDrain + 3, maxDrain + 4, maxDrain + 50_000} {
			body := strings.Repeat("b", n)
			next := "GET /x HTTP/1.1\r\nHost: h\r\n\r\n"
			if n >= maxDrain && strings.Contains("/readlate /flushread /duplex", path) {
				// The response is large, and the connection is closed after it.
				// Unread input would then cut off what the client hasn't received.
				next = ""
			}
			clients.Go(func() {
				compare(t, addrs, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s%s", path, n, body, next))
				switch n - maxDrain {
				case 0, 1, 3, 4:
					// Whether net/http sees the end of a chunked body that is
					// just as long as what it reads depends on timing.
					return
				}
				compare(t, addrs, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n%s", path, n, body, next))
			})
		}
	}
	clients.Wait()
}

// TestSameBytesRandom compares the engine's output with net/http's for random
// connections: different requests, pipelined, mutated, split into several
// writes, and truncated.
func TestSameBytesRandom(t *testing.T) {
	addrs := comparedServers(t)
	rounds := 1500
	if testing.Short() {
		rounds = 300
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	paths := strings.Fields("/big /bigbytes /flush /length /204 /304 /103 /headers /trailers /te /readfrom /unreadclose /duplex /some /readlate /hijack /hijacksome /echo /dump")
	for range rounds {
		var all strings.Builder
		for range 1 + rnd.IntN(5) {
			var request strings.Builder
			path := paths[rnd.IntN(len(paths))]
			switch rnd.IntN(6) {
			case 0:
				request.WriteString(heads[rnd.IntN(len(heads))].text)
			case 1:
				n := rnd.IntN(9000)
				fmt.Fprintf(&request, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", path, n, strings.Repeat("b", n))
			case 2:
				fmt.Fprintf(&request, "POST %s HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", path)
				for range rnd.IntN(5) {
					n := 1 + rnd.IntN(1<<rnd.IntN(13))
					fmt.Fprintf(&request, "%x\r\n%s\r\n", n, strings.Repeat("c", n))
				}
				request.WriteString("0\r\n\r\n")
			case 3:
				fmt.Fprintf(&request, "GET %s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", path)
			default:
				fmt.Fprintf(&request, "GET %s HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\n", path)
			}
			text := request.String()
			if path != "/duplex" && rnd.IntN(3) == 0 { // see What differs in docs/engine.md
				text = mutate(rnd, text)
			}
			all.WriteString(text)
		}
		text := all.String()
		if rnd.IntN(3) == 0 {
			text = text[:rnd.IntN(len(text)+1)]
		}
		var parts []string
		for range rnd.IntN(6) {
			n := rnd.IntN(len(text) + 1)
			parts, text = append(parts, text[:n]), text[n:]
		}
		compare(t, addrs, append(parts, text)...)
	}
}
