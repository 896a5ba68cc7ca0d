//go:build !go1.27

package engine

// refusesBodies is what net/http does from Go 1.27 with the body of a request
// that has Expect: 100-continue, when the handler answers or closes the body
// before it has read any of it: the client was never told to send the body, so
// reads of it fail, and the connection is closed after the answer.
const refusesBodies = false
