// Package problem writes error responses, in a format that a service chooses
// once.
//
// All error responses of this module are written by [Write]: those of the
// router, such as 404 and 405, those for errors returned by the functions that
// [Handler] wraps, and those of middleware. Write uses the [Format] in the
// request's context. Without one, the response is plain text, as with
// [http.Error]. To use JSON (RFC 9457) for all error responses, set a Format
// for the server:
//
//	srv := &http.Server{
//		Addr:    ":8080",
//		Handler: mux,
//		BaseContext: func(net.Listener) context.Context {
//			return problem.NewContext(context.Background(), problem.JSON)
//		},
//	}
//
// This has no cost per request. The Server of package server has the field
// ErrorHandler for this. If you can't change the server, use the middleware
// [With], which costs one allocation per request.
//
// # Content of the response
//
// The text of an error is never sent to the client. The response contains the
// status returned by [Status] and its standard text. An error can provide more
// information for the client with these methods, which any error in the tree
// may have:
//
//	StatusCode() int                 the status, from 400 to 599
//	ProblemDetail() string           a sentence for the client
//	ProblemMembers() map[string]any  more members of the JSON object
//
// [Error] has all three.
package problem
