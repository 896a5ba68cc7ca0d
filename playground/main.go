//go:build js

// Command playground shows which route of a Mux serves a request, in a page of
// the documentation site. .ci/site.py compiles it to WebAssembly.
package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"syscall/js"

	"github.com/seed-1954dcaa/muxmaster"
)

func main() {
	js.Global().Set("explain", js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
		defer func() {
			if v := recover(); v != nil {
				result = map[string]any{"error": fmt.Sprint("panic: ", v)}
			}
		}()
		return explain(args[0].String(), args[1].String(), args[2].String(), args[3].String())
	}))
	select {}
}

const maxRoutes, maxLength = 500, 32 << 10 // so that the page always responds

// registered is the place of a registration, which is always in this file.
var registered = regexp.MustCompile(` \(registered at [^)]*\)`)

// explain registers a route for each line, and returns an error, or how the
// request is routed: the verdict and rows of a table.
func explain(routes, method, host, path string) map[string]any {
	lines := strings.Split(routes, "\n")
	if len(lines) > maxRoutes || len(routes)+len(method)+len(host)+len(path) > maxLength {
		return map[string]any{"error": fmt.Sprintf("too long: at most %d lines and %d bytes", maxRoutes, maxLength)}
	}
	mux := muxmaster.New()
	var faults []string
	for i, line := range lines {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := mux.TryHandle(line, http.NotFoundHandler()); err != nil {
			faults = append(faults, fmt.Sprintf("line %d: %s", i+1, registered.ReplaceAllString(err.Error(), "")))
		}
	}
	if faults != nil {
		return map[string]any{"error": strings.Join(faults, "\n")}
	}
	if host != "" {
		path = "http://" + host + path
	}
	e := mux.Explain(method, path)
	verdict := fmt.Sprint(e.Status, " ", http.StatusText(e.Status))
	switch {
	case e.Route != nil:
		verdict = "Served by " + strings.TrimSpace(e.Route.Method+" "+e.Route.Host+e.Route.Pattern)
		for _, v := range e.Values {
			verdict += fmt.Sprintf(", %s = %q", v.Key, v.Value)
		}
	case e.Location != "":
		verdict += ", Location: " + e.Location
	case e.Allow != "":
		verdict += ", Allow: " + e.Allow
	}
	rows := []any{}
	for _, c := range e.Candidates {
		rows = append(rows, []any{c.Method, c.Host + c.Pattern, c.Reason})
	}
	return map[string]any{"verdict": verdict, "rows": rows}
}
