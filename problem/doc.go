// Package problem is the one place where a service says what its error answers
// look like.
//
// Everything in this module that answers a request with an error calls
// [Write]: the router for 404 and 405, handlers that return an error, and each
// middleware that refuses a request. Write finds the service's [Handler] in the
// request's context. Without one, the answer is plain text, as [http.Error]
// writes it. To have all of them answer with JSON (RFC 9457), set it once for
// the server:
//
//	srv := &http.Server{
//		Addr:    ":8080",
//		Handler: mux,
//		BaseContext: func(net.Listener) context.Context {
//			return problem.NewContext(context.Background(), problem.JSON)
//		},
//	}
//
// That costs nothing per request. The Server of package server has a field for
// it, ErrorHandler. Where the server is out of reach, the middleware [With] does
// the same for one allocation a request.
//
// # What a client learns
//
// The text of an error never leaves the program. A client gets a status, which
// [Status] finds, and its standard text. An error that has more to say to the
// client says so with methods, which may be those of any error in the tree:
//
//	StatusCode() int                 the status, from 400 to 599
//	ProblemDetail() string           a sentence for the client
//	ProblemMembers() map[string]any  more members of the JSON object
//
// [Error] has all three.
package problem
