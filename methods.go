package muxmaster

import "net/http"

// A method is a number for a request method, so that routes are told apart by
// one comparison.
type method uint8

const (
	methodAny method = iota // a route for every method
	methodGET
	methodHEAD
	methodPOST
	methodPUT
	methodPATCH
	methodDELETE
	methodCONNECT
	methodTRACE
	methodQUERY
	methodOPTIONS
	firstCustom

	methodEach    method = 255 // finds a route of whatever method
	methodUnknown method = 254 // no route names it
)

// methodNames are in the order of an Allow header, but for OPTIONS.
var methodNames = [...]string{
	methodGET:     http.MethodGet,
	methodHEAD:    http.MethodHead,
	methodPOST:    http.MethodPost,
	methodPUT:     http.MethodPut,
	methodPATCH:   http.MethodPatch,
	methodDELETE:  http.MethodDelete,
	methodCONNECT: http.MethodConnect,
	methodTRACE:   http.MethodTrace,
	methodQUERY:   "QUERY",
	methodOPTIONS: http.MethodOptions,
}

func standardMethod(name string) method {
	switch name {
	case http.MethodGet:
		return methodGET
	case http.MethodHead:
		return methodHEAD
	case http.MethodPost:
		return methodPOST
	case http.MethodPut:
		return methodPUT
	case http.MethodPatch:
		return methodPATCH
	case http.MethodDelete:
		return methodDELETE
	case http.MethodConnect:
		return methodCONNECT
	case http.MethodTrace:
		return methodTRACE
	case "QUERY":
		return methodQUERY
	case http.MethodOptions:
		return methodOPTIONS
	}
	return methodUnknown
}

const anyClass = 1 << methodAny

// class returns the bit under which nodes know the method; custom ones share one.
func (m method) class() uint16 {
	switch {
	case m == methodEach:
		return 0xFFFF
	case m == methodUnknown:
		return 0
	}
	return 1 << min(m, 15)
}
