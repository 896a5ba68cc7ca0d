// Package urls defines a check for URLs that no route serves.
//
// # What it reports
//
// Paths without a route, constant or in a local variable with one value, in:
//
//   - http.Redirect and http.RedirectHandler;
//   - the attributes href, src, action, formaction and hx-get, hx-post, hx-put,
//     hx-patch, hx-delete of constant text that html/template parses, and of
//     HTML files that the package embeds;
//   - the pattern of muxmaster.BuildPath and the name of Mux.URL; also names of
//     parameters that the pattern or the route doesn't have, and missing ones of
//     BuildPath.
//
// Actions of a template stand for any text: /users/{{.ID}} is served by
// /users/:id.
//
// # What it does not report
//
// Anything in packages whose routes it doesn't know completely: some patterns
// or methods aren't constant, a method of a Mux is used as a function value, or
// other packages register routes or mount the mux. Paths below /debug/, relative
// ones, and those of other hosts.
package urls
