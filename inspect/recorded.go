package inspect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Limits of recorded requests.
const (
	maxLine     = 64 << 10 // bytes of a line of a log
	maxRequests = 200_000  // different requests
)

var maxInput int64 = 256 << 20 // bytes of the paths in a log, or of a HAR file; a variable for tests

// ReadLog returns the requests of an access log, each one once: in the common or
// combined format of Apache, nginx and others, or lines of JSON. JSON lines have
// the method and the path, or the URL, under the usual names, such as method and
// path, request_method and request_uri, or request with method and uri inside.
// A log has no headers and no bodies, so these are missing.
//
// It returns an error if reading fails, if no line is a request, or if there are
// more than 200,000 different requests or 256 MB of their paths. Lines that are no
// requests are skipped.
func ReadLog(r io.Reader) ([]*http.Request, error) {
	var list []*http.Request
	seen := map[string]bool{}
	size := int64(0) // of the paths
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		for err == bufio.ErrBufferFull { // skip the rest of a line that is too long
			line = nil
			_, err = lines.ReadSlice('\n')
		}
		if req := logged(strings.TrimSpace(string(line))); req != nil {
			key := req.Method + " " + req.Host + req.RequestURI
			if !seen[key] {
				seen[key] = true
				list = append(list, req)
				size += int64(len(req.RequestURI))
			}
		}
		switch {
		case size > maxInput:
			return nil, fmt.Errorf("inspect: the paths in the log are larger than %d MB; pass a part of it", maxInput>>20)
		case len(list) > maxRequests:
			return nil, fmt.Errorf("inspect: the log has more than %d different requests; pass a part of it", maxRequests)
		case err == io.EOF && len(list) == 0:
			return nil, errors.New("inspect: no line of the log is a request in the common, combined or JSON format")
		case err == io.EOF:
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("inspect: reading the log: %w", err)
		}
	}
}

// logged returns the request of a line of a log, or nil.
func logged(line string) *http.Request {
	if strings.HasPrefix(line, "{") {
		return loggedJSON(line)
	}
	_, rest, ok := strings.Cut(line, `"`)
	if !ok {
		return nil
	}
	method, rest, ok := strings.Cut(rest, " ")
	target, rest, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 || !strings.HasPrefix(rest, "HTTP/") || !isMethod(method) {
		return nil
	}
	return absoluteRequest(method, "", unescapeLog(target))
}

// unescapeLog undoes \xHH, \" and \\, as servers write odd bytes of a request.
func unescapeLog(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' {
			if c, err := strconv.ParseUint(s[i+2:i+4], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// loggedJSON returns the request of a line of JSON, or nil.
func loggedJSON(line string) *http.Request {
	var record map[string]any
	if json.Unmarshal([]byte(line), &record) != nil {
		return nil
	}
	switch inner := record["request"].(type) {
	case map[string]any: // as Caddy does
		record = inner
	case string: // as in the common format
		return logged(`"` + inner + `"`)
	}
	if inner, ok := record["httpRequest"].(map[string]any); ok { // as Google Cloud does
		record = inner
	}
	text := func(names ...string) string {
		for _, name := range names {
			if s, ok := record[name].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	method := text("method", "request_method", "http_method", "requestMethod", "RequestMethod", "verb")
	target := text("request_uri", "requestUrl", "uri", "RequestPath", "path", "url", "target")
	if query := text("query", "query_string", "args"); query != "" && !strings.Contains(target, "?") {
		target += "?" + strings.TrimPrefix(query, "?")
	}
	if !isMethod(method) {
		return nil
	}
	return absoluteRequest(method, text("host", "http_host", "RequestHost"), target)
}

// isMethod reports whether s looks like a method. Logs hold other things in
// quotes, and the bytes of clients that don't speak HTTP.
func isMethod(s string) bool {
	if s == "" || len(s) > 32 {
		return false
	}
	for _, c := range s {
		if (c < 'A' || c > 'Z') && c != '-' {
			return false
		}
	}
	return true
}

// absoluteRequest returns a request for a target that may be an absolute URL.
func absoluteRequest(method, host, target string) *http.Request {
	if !strings.HasPrefix(target, "/") {
		u, err := url.Parse(target)
		if err != nil || u.Host == "" {
			return nil
		}
		host, target = u.Host, u.RequestURI()
	}
	return serverRequest(method, host, target)
}

// har is what matters of a HAR file.
type har struct {
	Log struct {
		Entries []struct {
			Request struct {
				Method, URL string
				Headers     []struct{ Name, Value string }
				PostData    struct{ Text string }
			}
		}
	}
}

// ReadHAR returns the requests of a HAR file, which browsers write, with their
// headers and bodies. Entries that are no valid HTTP requests are skipped, as are
// invalid headers. The limit for the file is 256 MB. Such a file has cookies and
// logins of the person who recorded it, so keep it as safe as these.
func ReadHAR(r io.Reader) ([]*http.Request, error) {
	var file har
	limited := &io.LimitedReader{R: r, N: maxInput}
	input := bufio.NewReader(limited)
	if mark, _ := input.Peek(3); string(mark) == "\ufeff" { // HAR 1.2: readers ignore it
		input.Discard(3)
	}
	if err := json.NewDecoder(input).Decode(&file); err != nil {
		if limited.N == 0 {
			return nil, fmt.Errorf("inspect: the HAR file is larger than %d MB; record less", maxInput>>20)
		}
		return nil, fmt.Errorf("inspect: reading the HAR file: %w", err)
	}
	var list []*http.Request
	for _, entry := range file.Log.Entries {
		e := entry.Request
		req := absoluteRequest(e.Method, "", e.URL)
		if _, err := http.NewRequest(e.Method, "/", nil); err != nil || req == nil {
			continue
		}
		for _, h := range e.Headers {
			if validField(h.Name, h.Value) && !hopByHop[http.CanonicalHeaderKey(h.Name)] {
				req.Header.Add(h.Name, h.Value)
			}
		}
		if text := e.PostData.Text; text != "" {
			req.ContentLength = int64(len(text))
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
		}
		list = append(list, req)
	}
	if len(list) == 0 {
		return nil, errors.New("inspect: the HAR file has no requests")
	}
	return list, nil
}

// validField reports whether net/http sends a header. It sends no request that has
// another one.
func validField(name, value string) bool {
	badName := func(c rune) bool {
		return !strings.ContainsRune("!#$%&'*+-.^_`|~", c) && (c < '0' || c > '9') && (c|' ' < 'a' || c|' ' > 'z')
	}
	badValue := func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }
	return name != "" && strings.IndexFunc(name, badName) < 0 && strings.IndexFunc(value, badValue) < 0
}

// hopByHop are headers that belong to a connection, and those that a Request
// has as fields. Without Accept-Encoding, bodies can be compared.
var hopByHop = map[string]bool{
	"Host": true, "Connection": true, "Content-Length": true, "Transfer-Encoding": true, "Upgrade": true, "Te": true, "Trailer": true,
	"Keep-Alive": true, "Accept-Encoding": true, "If-None-Match": true, "If-Modified-Since": true,
}
