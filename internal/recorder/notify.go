package recorder

import (
	"io"
	"net/http"
)

// These recorders also implement the deprecated http.CloseNotifier. net/http's
// writers do, and some frameworks call CloseNotify without checking for it.
type (
	flushNotify               struct{ flush }
	flushPushNotify           struct{ flushPush }
	flushHijackNotify         struct{ flushHijack }
	flushHijackReadFromNotify struct{ flushHijackReadFrom }
	flushPushReadFromNotify   struct{ flushPushNotify }
)

// wrapNotify is Wrap for a writer that implements http.CloseNotifier. It
// returns nil if none of the types above fits.
func wrapNotify(w http.ResponseWriter, rec Recorder, can int) (http.ResponseWriter, *Recorder) {
	switch can {
	case canFlush | canHijack | canReadFrom:
		x := &flushHijackReadFromNotify{flushHijackReadFrom{flushHijack{flush{rec}}}}
		return x, &x.Recorder
	case canFlush | canHijack:
		x := &flushHijackNotify{flushHijack{flush{rec}}}
		return x, &x.Recorder
	case canFlush | canReadFrom:
		if _, ok := w.(http.Pusher); ok {
			x := &flushPushReadFromNotify{flushPushNotify{flushPush{flush{rec}}}}
			return x, &x.Recorder
		}
	case canFlush:
		if _, ok := w.(http.Pusher); ok {
			x := &flushPushNotify{flushPush{flush{rec}}}
			return x, &x.Recorder
		}
		x := &flushNotify{flush{rec}}
		return x, &x.Recorder
	}
	return nil, nil
}

func (r *Recorder) passCloseNotify() <-chan bool {
	//lint:ignore SA1019 passing it on is the point
	return r.w.(http.CloseNotifier).CloseNotify()
}

func (x *flushNotify) CloseNotify() <-chan bool               { return x.passCloseNotify() }
func (x *flushPushNotify) CloseNotify() <-chan bool           { return x.passCloseNotify() }
func (x *flushHijackNotify) CloseNotify() <-chan bool         { return x.passCloseNotify() }
func (x *flushHijackReadFromNotify) CloseNotify() <-chan bool { return x.passCloseNotify() }

func (x *flushPushReadFromNotify) ReadFrom(src io.Reader) (int64, error) { return x.passReadFrom(src) }
