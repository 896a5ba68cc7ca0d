// Command pooled serves one request with the handler named by its argument, on a
// Mux with both pools, and waits for the goroutines of the handler. Handlers whose
// name begins with wrong read a path value from the request after they have
// returned.
package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
)

// seen receives one value from each handler that leaves a goroutine running.
var seen = make(chan string)

func record(values ...string) { seen <- strings.Join(values, " ") }

func wrongPathValue(w http.ResponseWriter, r *http.Request) {
	go func() {
		record(r.PathValue("id"))
	}()
}

func wrongPathParam(w http.ResponseWriter, r *http.Request) { go named(r) }

func named(r *http.Request) { record(muxmaster.PathParam(r, "id")) }

func rightStrings(w http.ResponseWriter, r *http.Request) {
	id := muxmaster.PathParam(r, "id")
	remote := r.RemoteAddr
	userAgent := r.UserAgent()
	go func() {
		record(remote, userAgent, id)
	}()
	w.WriteHeader(http.StatusAccepted)
}

func rightParams(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	psCopy := make(muxmaster.Params, len(ps))
	copy(psCopy, ps)
	go func() {
		record(psCopy.Get("id"))
	}()
}

func rightClone(w http.ResponseWriter, r *http.Request) {
	q := r.Clone(r.Context())
	go func() {
		record(q.PathValue("id"), q.URL.Path)
	}()
}

var handlers = map[string]http.HandlerFunc{
	"wrongPathValue": wrongPathValue, "wrongPathParam": wrongPathParam,
	"rightStrings": rightStrings, "rightClone": rightClone,
}

var fast = map[string]muxmaster.FastHandler{"rightParams": rightParams}

func main() {
	mux := muxmaster.New()
	mux.PoolRequestBundle = true
	mux.PoolFastParams = true
	name := os.Args[1]
	if h, ok := fast[name]; ok {
		mux.POSTFast("/users/:id", h)
	} else {
		mux.POST("/users/:id", handlers[name])
	}
	srv := httptest.NewServer(mux)
	defer srv.Close()
	resp, err := http.Post(srv.URL+"/users/42", "text/plain", strings.NewReader("body"))
	if err != nil {
		panic(err)
	}
	resp.Body.Close()
	println(name, <-seen)
}
