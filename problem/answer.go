package problem

import (
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// Text is the [Handler] that answers with the text of the status as plain
// text, as [http.Error] does. A 404 reads "404 page not found", as that of
// [http.NotFound].
func Text(w http.ResponseWriter, r *http.Request, err error) {
	code := Status(err)
	var line string
	switch code { // the common ones in one write
	case http.StatusNotFound:
		line = "404 page not found\n"
	case http.StatusMethodNotAllowed:
		line = "Method Not Allowed\n"
	case http.StatusInternalServerError:
		line = "Internal Server Error\n"
	default:
		line = statusText(code) + "\n"
	}
	setType(w.Header(), "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, line)
}

// JSON is the [Handler] that answers with a problem details object (RFC 9457):
//
//	HTTP/1.1 422 Unprocessable Entity
//	Content-Type: application/problem+json
//
//	{"title":"Unprocessable Entity","status":422,"detail":"taken","field":"name"}
//
// title is the text of the status. detail is what the first error in the tree
// of err with a method ProblemDetail() string returns, if that isn't empty. The
// other members are those of the first error with a method
// ProblemMembers() map[string]any, in the order of their names; a type, title
// or instance among them stands in its usual place. A member that can't be
// encoded is left out, and that is logged.
func JSON(w http.ResponseWriter, r *http.Request, err error) {
	code := Status(err)
	detail, members := details(err)
	b := make([]byte, 0, 256)
	b = append(b, '{')
	b = appendMember(b, "type", members["type"])
	title := members["title"]
	if title == nil {
		title = statusText(code)
	}
	b = appendMember(b, "title", title)
	b = strconv.AppendInt(append(b, `,"status":`...), int64(code), 10)
	if detail != "" {
		b = appendMember(b, "detail", detail)
	}
	b = appendMember(b, "instance", members["instance"])
	if len(members) > 0 {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			switch name {
			case "type", "title", "status", "detail", "instance":
			default:
				b = appendMember(b, name, members[name])
			}
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

// details returns what the errors in the tree of err have to say to the client.
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

// appendMember appends one member to a JSON object that isn't closed yet. A nil
// value is no member.
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
		slog.Error("problem: a member of a JSON answer can't be encoded", "member", printable(name), "error", printable(err.Error()))
		return b[:start]
	}
	return append(append(append(b, key...), ':'), text...)
}

// setType sets the headers that say what the body is, in one allocation.
func setType(h http.Header, contentType string) {
	values := &[2]string{contentType, "nosniff"}
	h["Content-Type"] = values[0:1:1]
	h["X-Content-Type-Options"] = values[1:2:2]
}
