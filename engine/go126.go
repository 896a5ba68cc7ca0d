//go:build !go1.27

package engine

// refusesBodies is true since Go 1.27. It applies to a request with
// Expect: 100-continue, if the handler responds or closes the body before
// reading from it. The client may then never send the body. So net/http fails
// later reads and closes the connection after the response.
const refusesBodies = false
