package problem

import (
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-1954dcaa/muxmaster/internal/printable"
)

// Text is a [Format] that writes the text of the status as plain text, as
// [http.Error] does. For a 404, the text is "404 page not found", as in
// [http.NotFound].
func Text(w http.ResponseWriter, r *http.Request, err error) {
	text(w, err, false)
}

// text is Text. If clear is true, it first removes the headers that Write removes.
func text(w http.ResponseWriter, err error, clear bool) {
	h := w.Header()
	setType(h, "text/plain; charset=utf-8")
	if clear && (len(h) > 3 || len(h) == 3 && h["Allow"] == nil) { // most responses have no other headers
		clearContent(w)
	}
	code := Status(err)
	var line string
	switch code { // constants, to avoid concatenation
	case http.StatusNotFound:
		line = "404 page not found\n"
	case http.StatusMethodNotAllowed:
		line = "Method Not Allowed\n"
	case http.StatusInternalServerError:
		line = "Internal Server Error\n"
	default:
		line = statusText(code) + "\n"
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, line)
}

// JSON is a [Format] that writes a problem details object (RFC 9457):
//
//	HTTP/1.1 422 Unprocessable Entity
//	Content-Type: application/problem+json
//
//	{"title":"Unprocessable Entity","status":422,"detail":"taken","field":"name"}
//
// title is the text of the status. detail is the first non-empty result of a
// method ProblemDetail() string of an error in err's tree. Other members are
// the first non-empty result of a method ProblemMembers() map[string]any,
// sorted by name; they can include type, title and instance. JSON omits and
// logs members that can't be encoded.
func JSON(w http.ResponseWriter, r *http.Request, err error) {
	code := Status(err)
	detail, members := details(err)
	b := make([]byte, 0, 256)
	b = append(b, '{')
	b = appendMember(b, "type", members["type"])
	start := len(b)
	if b = appendMember(b, "title", members["title"]); len(b) == start {
		b = appendMember(b, "title", statusText(code))
	}
	b = strconv.AppendInt(append(b, `,"status":`...), int64(code), 10)
	if detail != "" {
		b = appendMember(b, "detail", detail)
	}
	b = appendMember(b, "instance", members["instance"])
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch name {
		case "type", "title", "status", "detail", "instance":
		default:
			b = appendMember(b, name, members[name])
		}
	}
	b = append(b, '}', '\n')
	h := w.Header()
	setType(h, "application/problem+json")
	if h.Get("Content-Encoding") == "" {
		h["Content-Length"] = []string{strconv.Itoa(len(b))}
	}
	w.WriteHeader(code)
	_, _ = w.Write(b)
}

// details returns the detail and members of the errors in err's tree.
func details(err error) (detail string, members map[string]any) {
	find(err, func(err error) bool {
		if e, ok := err.(interface{ ProblemDetail() string }); ok {
			detail = e.ProblemDetail()
		}
		return detail != ""
	})
	find(err, func(err error) bool {
		if e, ok := err.(interface{ ProblemMembers() map[string]any }); ok {
			members = e.ProblemMembers()
		}
		return len(members) > 0
	})
	return detail, members
}

// appendMember appends a member to an unclosed JSON object. It does nothing if
// value is nil or can't be encoded.
func appendMember(b []byte, name string, value any) []byte {
	if value == nil {
		return b
	}
	start := len(b)
	if b[start-1] != '{' {
		b = append(b, ',')
	}
	key, _ := json.Marshal(name)
	text, err := json.Marshal(value)
	if err != nil {
		slog.Error("problem: a member of a JSON response can't be encoded", "member", printable.Excerpt(name, maxText), "error", printable.Excerpt(err.Error(), maxText))
		return b[:start]
	}
	return append(append(append(b, key...), ':'), text...)
}

// setType sets Content-Type and X-Content-Type-Options with one allocation.
func setType(h http.Header, contentType string) {
	values := &[2]string{contentType, "nosniff"}
	h["Content-Type"] = values[0:1:1]
	h["X-Content-Type-Options"] = values[1:2:2]
}
