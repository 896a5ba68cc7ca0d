package retain

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/csv"
	"io"
	"net/http"
	"sync"
)

// Structs whose fields are set by functions and methods of this package.

func (j *job) init(r *http.Request) { j.setRequest(r); j.name = r.Host }

func (j *job) setRequest(r *http.Request) { j.r = r }

func (j *job) with(r *http.Request) *job { j.r = r; return j }

func replace(j *job, r *http.Request) { *j = job{r: r} }

func wrongFilled(w http.ResponseWriter, r *http.Request) {
	j := &job{}
	j.init(r)
	go j.run() // want `r can outlive`
	var k job
	replace(&k, r)
	jobs <- k                 // want `r outlives the handler on a channel`
	jobs <- *new(job).with(r) // want `r outlives the handler on a channel`
	go func() { use(j.r) }()  // want `r can outlive`
	l := new(job)
	replace(l, r)
	go l.run() // want `r can outlive`
	p := &r
	go use(p)  // want `r can outlive`
	go use(*p) // want `r can outlive`
}

func makeJob() *job { return &job{} }

func wrongResults(w http.ResponseWriter, r *http.Request) {
	j := makeJob()
	j.r = r
	go j.run() // want `r can outlive`
	k := makeJob()
	k.init(r)
	go k.run() // want `r can outlive`
	out, _ := http.NewRequest("POST", "http://127.0.0.1/", nil)
	out.Body = r.Body
	go http.DefaultClient.Do(out) // want `r\.Body can outlive`
}

func rightResults(w http.ResponseWriter, r *http.Request) {
	j := makeJob()
	j.name = r.Host
	j.r = r.Clone(r.Context())
	go j.run()
	out, _ := http.NewRequest("POST", "http://127.0.0.1/", nil)
	out.Header, out.Host = r.Header.Clone(), r.Host
	go http.DefaultClient.Do(out)
}

func rightFilled(w http.ResponseWriter, r *http.Request) {
	j := &job{}
	j.init(r)
	go j.greet()
	go use(j.name)
	k := job{name: "x"}
	k.init(r)
	k.r = nil
	go func() { use(k.name) }()
	values <- k.name
}

// Readers of the body, and functions created from others.

func wrongReaders(w http.ResponseWriter, r *http.Request) {
	z, _ := gzip.NewReader(r.Body)
	go io.Copy(io.Discard, z) // want `r\.Body can outlive`
	c := csv.NewReader(bufio.NewReader(r.Body))
	go func() { c.ReadAll() }() // want `r\.Body can outlive`
	m, _ := r.MultipartReader()
	go use(m)                                                    // want `r can outlive`
	go sync.OnceFunc(func() { serve(r) })()                      // want `r can outlive`
	go io.ReadAll(base64.NewDecoder(base64.StdEncoding, r.Body)) // want `r\.Body can outlive`
}
