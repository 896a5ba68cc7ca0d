package body_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

func ExampleReadJSON() {
	type order struct {
		Item  string
		Count int
	}
	create := func(w http.ResponseWriter, r *http.Request) {
		o, err := body.ReadJSON[order](w, r, 64<<10)
		if err != nil {
			problem.Write(w, r, err)
			return
		}
		body.WriteJSON(w, http.StatusCreated, o)
	}
	for _, sent := range []string{`{"item":"tea","count":2}`, `{"item":"tea","count":"two"}`} {
		w := httptest.NewRecorder()
		create(w, httptest.NewRequest("POST", "/orders", strings.NewReader(sent)))
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// 201 {"Item":"tea","Count":2}
	// 400 Bad Request
}

// A body error tells clients of a JSON service what is wrong.
func ExampleError_ProblemDetail() {
	type order struct {
		Count int `json:"count"`
	}
	r := httptest.NewRequest("POST", "/orders", strings.NewReader(`{"count":"two"}`))
	_, err := body.ReadJSON[order](httptest.NewRecorder(), r, 0)
	w := httptest.NewRecorder()
	problem.JSON(w, r, err)
	fmt.Print(w.Body)
	// Output: {"title":"Bad Request","status":400,"detail":"The request body is not the expected JSON: \"count\" must be a whole number."}
}

func ExampleWriteJSON() {
	w := httptest.NewRecorder()
	if err := body.WriteJSON(w, http.StatusOK, map[string]int{"answer": 42}); err != nil {
		http.Error(w, "cannot encode the response", http.StatusInternalServerError) // nothing was written yet
	}
	fmt.Println(w.Header().Get("Content-Length"), w.Body)
	// Output: 13 {"answer":42}
}

type ticket struct{ Seats int }

// Validate is called by ReadJSON.
func (t ticket) Validate() error {
	if t.Seats < 1 {
		return &problem.Error{Detail: "A ticket needs at least one seat."}
	}
	return nil
}

// A strict service rejects unknown fields and other content types, and values
// that aren't valid.
func ExampleReadJSON_strict() {
	for _, sent := range []string{`{"seats":2}`, `{"seat":2}`, `{"seats":0}`} {
		r := httptest.NewRequest("POST", "/tickets", strings.NewReader(sent))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if t, err := body.ReadJSON[ticket](w, r, 64<<10, body.Strict); err != nil {
			problem.JSON(w, r, err)
		} else {
			body.WriteJSON(w, http.StatusCreated, t)
		}
		fmt.Println(strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// {"Seats":2}
	// {"title":"Bad Request","status":400,"detail":"The request body is not the expected JSON: the field \"seat\" is unknown."}
	// {"title":"Unprocessable Entity","status":422,"detail":"A ticket needs at least one seat."}
}

// The slice is valid only inside of the function.
func ExampleWithBody() {
	r := httptest.NewRequest("POST", "/upload", strings.NewReader("hello"))
	var sum [sha256.Size]byte
	err := body.WithBody(httptest.NewRecorder(), r, 1<<20, func(p []byte) error {
		sum = sha256.Sum256(p)
		return nil
	})
	fmt.Printf("%x %v\n", sum[:4], err)
	// Output: 2cf24dba <nil>
}

func ExampleLines() {
	r := httptest.NewRequest("POST", "/log", strings.NewReader("first\r\nsecond"))
	var kept [][]byte
	for line, err := range body.Lines(r.Body, 4<<10) {
		if err != nil {
			fmt.Println(err)
			return
		}
		kept = append(kept, bytes.Clone(line)) // valid only until the next iteration
	}
	fmt.Printf("%q\n", kept)
	// Output: ["first" "second"]
}

func ExampleCopy() {
	src := strings.NewReader("from elsewhere")
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(src.Len()))
		if _, err := body.Copy(w, src); err != nil {
			panic(http.ErrAbortHandler) // so that the client detects the truncated response
		}
	}
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Body)
	// Output: from elsewhere
}

func ExampleBuffers() {
	backend, err := url.Parse("http://127.0.0.1:8081")
	if err != nil {
		panic(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(backend)
	proxy.BufferPool = body.Buffers{}
}

func ExampleBuffers_Get() {
	p := body.Buffers{}.Get()
	fmt.Println(len(p))
	body.Buffers{}.Put(p)
	// Output: 65536
}

func ExampleBuffers_Put() {
	p := body.Buffers{}.Get()
	defer body.Buffers{}.Put(p) // p must not be used any more
	fmt.Println(copy(p, "hello"))
	// Output: 5
}

// tooLarge returns the error of a body that is larger than its limit.
func tooLarge() *body.Error {
	r := httptest.NewRequest("POST", "/", strings.NewReader("a large body"))
	err := body.WithBody(httptest.NewRecorder(), r, 4, func([]byte) error { return nil })
	return err.(*body.Error)
}

func ExampleError_Error() {
	fmt.Println(tooLarge())
	// Output: body: the request body is larger than 4 bytes
}

func ExampleError_StatusCode() {
	fmt.Println(tooLarge().StatusCode())
	// Output: 413
}

func ExampleError_Unwrap() {
	err := &body.Error{Code: http.StatusBadRequest, Err: io.ErrUnexpectedEOF}
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	// Output: true
}
