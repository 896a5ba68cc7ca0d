package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/internal/printable"
	"github.com/seed-1954dcaa/muxmaster/internal/terminal"
)

// errNotOurs is the error for a response that is not from the page of package inspect.
var errNotOurs = errors.New("the response is not from the page of package inspect")

func (c *command) routes(w io.Writer) error {
	var routes []inspect.Route
	data, err := c.get(c.base, "routes.json", &routes)
	if err != nil {
		return err
	}
	for _, r := range routes {
		if !strings.HasPrefix(r.Pattern, "/") {
			return errNotOurs
		}
	}
	switch {
	case c.json:
		return printJSON(w, data)
	case c.tree:
		return inspect.PrintTree(w, routes)
	}
	return inspect.PrintRoutes(w, routes)
}

// mostCandidates is the number of routes that explain prints without -all.
const mostCandidates = 20

func (c *command) explain(w io.Writer) error {
	var e muxmaster.Explanation
	query := url.Values{"method": {c.args[0]}, "path": {c.args[1]}}
	data, err := c.get(c.base, "explain.json?"+query.Encode(), &e)
	if err != nil {
		return err
	}
	if e.Method == "" || e.Route == nil && e.Status == 0 {
		return errNotOurs
	}
	if c.json {
		return printJSON(w, data)
	}
	var b strings.Builder
	writeOutcome(&b, &e)
	c.writeOthers(&b, &e, terminal.Colored(w))
	_, err = io.WriteString(w, b.String())
	return err
}

// writeOutcome writes the route that serves the request, or the response if
// there is none.
func writeOutcome(b *strings.Builder, e *muxmaster.Explanation) {
	fmt.Fprintf(b, "%s %s: ", printable.Replace(e.Method), printable.Replace(e.Target))
	if r := e.Route; r != nil {
		fmt.Fprintf(b, "%s%s\n", printable.Replace(r.Host), printable.Replace(r.Pattern))
		fmt.Fprintf(b, "  handler     %s  %s\n", shortName(r.Handler), place(r.File, r.Line))
		for i, v := range e.Values {
			fmt.Fprintf(b, "  %-10s  %s = %q\n", []string{"values", ""}[min(i, 1)], printable.Replace(v.Key), v.Value)
		}
		for i, name := range r.Middleware {
			fmt.Fprintf(b, "  %-10s  %s\n", []string{"middleware", ""}[min(i, 1)], shortName(name))
		}
		return
	}
	fmt.Fprintf(b, "%d %s\n", e.Status, http.StatusText(e.Status))
	if e.Location != "" {
		fmt.Fprintf(b, "  Location: %s\n", printable.Replace(e.Location))
	}
	if e.Allow != "" {
		fmt.Fprintf(b, "  Allow: %s\n", printable.Replace(e.Allow))
	}
	if e.Prefix != "" {
		fmt.Fprintf(b, "  by the Group or Mux at %s\n", printable.Replace(e.Prefix))
	}
}

// writeOthers writes the routes that don't serve the request, and why.
func (c *command) writeOthers(b *strings.Builder, e *muxmaster.Explanation, color bool) {
	others := slices.DeleteFunc(slices.Clone(e.Candidates), func(c muxmaster.Candidate) bool { return c.Reason == "" })
	left := 0
	if !c.all && len(others) > mostCandidates {
		left = len(others) - mostCandidates
		others = others[:mostCandidates]
	}
	if len(others) > 0 {
		b.WriteString("\nNot served by\n")
	}
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, c := range others {
		fmt.Fprintf(tw, "  %s\t%s\t%s\n", terminal.Method(c.Method, color), printable.Replace(c.Host+c.Pattern), printable.Replace(c.Reason))
	}
	tw.Flush()
	if left > 0 {
		fmt.Fprintf(b, "  and %d more; -all lists them\n", left)
	}
}

func (c *command) openapi(w io.Writer) error {
	var doc struct {
		OpenAPI string
		Paths   map[string]any
	}
	data, err := c.get(c.base, "openapi.json", &doc)
	if err != nil {
		return err
	}
	if doc.OpenAPI == "" || doc.Paths == nil {
		return errNotOurs
	}
	return printJSON(w, data)
}

func printJSON(w io.Writer, data []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(data), "", "\t"); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// shortName returns inspect.ShortName, safe to print.
func shortName(name string) string { return printable.Replace(inspect.ShortName(name)) }

// place returns a file and line, relative to the working directory if the file
// is below it.
func place(file string, line int) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return fmt.Sprintf("%s:%d", printable.Replace(file), line)
}
