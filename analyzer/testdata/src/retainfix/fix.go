package retainfix

import (
	"context"
	"log"
	"net/http"
	"net/url"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
)

var (
	lastURL    *url.URL
	lastParams muxmaster.Params
	lastParam  *muxmaster.Param
	params     = make(chan muxmaster.Params)
	requests   = make(chan *http.Request)
	later      func()
)

func record(...any)                 {}
func audit(context.Context, string) {}

func strings(w http.ResponseWriter, r *http.Request) {
	id := muxmaster.PathParam(r, "id")
	go func() { // want `r can outlive`
		log.Printf("processed request from %s for id=%s", r.RemoteAddr, id)
		record(r.RemoteAddr, r.URL.Path, r.Header.Get("X-Request-Id"), r.PathValue("name"), muxmaster.PathParam(r, "id"))
		audit(r.Context(), r.UserAgent())
		record(r.URL.Query().Get("q"), r.URL)
	}()
}

func timer(w http.ResponseWriter, r *http.Request) {
	if r.Method == "GET" {
		time.AfterFunc(time.Second, func() { record(r.Method) }) // want `r can outlive`
	}
}

func paramsElsewhere(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	go func() { record(ps.Get("id"), &ps[0], len(ps)) }() // want `ps can outlive`
	params <- ps                                          // want `ps outlives`
	lastParams = ps                                       // want `ps outlives`
	lastParams = ps[1:]                                   // want `ps\[\.\.\.\] outlives`
	lastParam = &ps[0]                                    // want `ps\[\.\.\.\] outlives`
}

func paramsAsArgument(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
	go func(ps muxmaster.Params) { // want `ps can outlive`
		record(ps)
	}(ps)
	go record(ps.Get("id"), ps[0].Key, ps[1:]) // want `ps\[\.\.\.\] can outlive`
}

func urls(w http.ResponseWriter, r *http.Request) {
	lastURL = r.URL          // want `r\.URL outlives`
	go record(r.URL, r.Host) // want `r\.URL can outlive`
}

func taken(w http.ResponseWriter, r *http.Request) {
	host, hostCopy := "a", "b"
	go func() { // want `r can outlive`
		record(host, hostCopy, r.Host)
	}()
}

func parts(w http.ResponseWriter, r *http.Request) {
	go func() { // want `r can outlive`
		record(r.URL.Query(), *r.URL, r.URL.User)
	}()
	later = func() { record(r.Method) }                         // want `r outlives`
	t := time.AfterFunc(time.Second, func() { record(r.Host) }) // want `r can outlive`
	record(t)
}

// No fix below.

func whole(w http.ResponseWriter, r *http.Request) {
	go record(r) // want `r can outlive`
	go func() {  // want `r can outlive`
		record(r.Host, r.Body)
	}()
	requests <- r // want `r outlives`
	go func() {   // want `r can outlive`
		record(r.Host, r.FormValue("x"))
	}()
}

func changes(w http.ResponseWriter, r *http.Request) {
	go func() { // want `r can outlive`
		r.Method = "GET"
	}()
}
