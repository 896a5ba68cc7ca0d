package syntax

import (
	"net/http"
	"sync/atomic"
	"time"
)

// A date is the value of a Date header.
type date struct {
	second int64
	text   string
}

var lastDate atomic.Pointer[date]

// Date returns the current Date. It formats the time once per second.
func Date() string {
	now := time.Now()
	d := lastDate.Load()
	if d == nil || d.second != now.Unix() {
		d = &date{now.Unix(), now.UTC().Format(http.TimeFormat)}
		lastDate.Store(d)
	}
	return d.text
}
