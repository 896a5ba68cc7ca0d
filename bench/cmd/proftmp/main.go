package main

import (
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"strings"
	"time"
	"fmt"
	"syscall"
	"crypto/tls"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/engine"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

var document = `{"items":[` + strings.Repeat(`{"id":12345,"name":"somebody"},`, 32) + `{"id":1,"name":"last"}]}`

func main() {
	prof := flag.String("prof", "", "")
	addr := flag.String("addr", "127.0.0.1:9090", "")
	recycle := flag.Bool("recycle", false, "")
	std := flag.Bool("std", false, "")
	secure := flag.Bool("tls", false, "")
	d := flag.Duration("d", 10*time.Second, "")
	flag.Parse()
	mux := muxmaster.New()
	mux.GET("/hello", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "Hello, World!")
	})
	mux.GET("/json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, document)
	})
	mux.POST("/echo", func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(b)
	})
	h := &http.Server{Handler: mux}
	h.Protocols = new(http.Protocols)
	h.Protocols.SetHTTP1(true)
	h.Protocols.SetUnencryptedHTTP2(true)
	h.Protocols.SetHTTP2(true)
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		panic(err)
	}
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
	}
	s := engine.New(h)
	s.Recycle = *recycle
	if *secure {
		h.TLSConfig = &tls.Config{Certificates: []tls.Certificate{measure.Certificate()}}
		if *std { go h.ServeTLS(l, "", "") } else { go s.ServeTLS(l, "", "") }
	} else if *std { go h.Serve(l) } else { go s.Serve(l) }
	time.Sleep(*d)
	pprof.StopCPUProfile()
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	fmt.Printf("user %.2f sys %.2f\n", float64(u.Utime.Nano())/1e9, float64(u.Stime.Nano())/1e9)
}
