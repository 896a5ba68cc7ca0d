// Package inspect shows and checks the routes of a program.
//
// [Handler] serves a web page with all routes, [Print] writes them as a table,
// and [OpenAPI] returns them as an OpenAPI document.
//
// The package knows a Mux by its methods Routes, Explain and Lookup only, and
// never calls the handlers of routes to find out something about them. A program
// that doesn't import it doesn't link it.
package inspect
