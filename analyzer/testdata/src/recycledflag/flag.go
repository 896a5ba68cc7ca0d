// Package recycledflag has handlers that another package serves.
package recycledflag

import "net/http"

var last http.Header

func Handler(w http.ResponseWriter, r *http.Request) { last = r.Header } // want `r.Header outlives`
