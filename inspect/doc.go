// Package inspect shows and checks the routes of a program.
//
// [Handler] serves a web page with all routes, [Print] and [PrintTree] write them
// as a table or tree, and [OpenAPI] returns them as an OpenAPI document. [Compare]
// lists the requests to which two handlers respond differently, for example a
// program before and after its routes were changed; [Requests] makes such
// requests. A [Mirror] does so with the requests of a running service. A
// [Coverage] counts the requests of each route.
//
// The package knows a Mux by its methods Routes, Explain and Lookup only. A
// program that doesn't import it doesn't link it.
package inspect
