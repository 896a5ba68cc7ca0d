package muxmaster

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"strconv"
)

// JSON answers with v as JSON and the status code, with a Content-Length and in
// one write. If v cannot be encoded it writes nothing, not even a header, and
// returns the error; so does a failed write.
func JSON(w http.ResponseWriter, code int, v any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	return send(w, code, "application/json; charset=utf-8", b.Bytes())
}

// XML answers like [JSON], with v as XML behind an XML header.
func XML(w http.ResponseWriter, code int, v any) error {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(v); err != nil {
		return err
	}
	return send(w, code, "application/xml; charset=utf-8", b.Bytes())
}

// Text answers with plain text.
func Text(w http.ResponseWriter, code int, text string) error {
	head(w, code, "text/plain; charset=utf-8", len(text))
	if !bodyAllowed(code) {
		return nil
	}
	_, err := io.WriteString(w, text)
	return err
}

// NoContent answers 204, without a body.
func NoContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func send(w http.ResponseWriter, code int, contentType string, body []byte) error {
	head(w, code, contentType, len(body))
	if !bodyAllowed(code) {
		return nil
	}
	_, err := w.Write(body)
	return err
}

// head sends the header; a Content-Type that is already set is kept.
func head(w http.ResponseWriter, code int, contentType string, length int) {
	if bodyAllowed(code) {
		h := w.Header()
		if _, ok := h["Content-Type"]; !ok {
			h["Content-Type"] = []string{contentType}
		}
		if h.Get("Content-Encoding") == "" {
			h["Content-Length"] = []string{strconv.Itoa(length)}
		}
	}
	w.WriteHeader(code)
}

// bodyAllowed is RFC 9110, section 6.4.1.
func bodyAllowed(code int) bool {
	return code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified
}
