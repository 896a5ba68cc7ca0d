// Command muxmaster shows the routes of a running service that has mounted
// Mux.DebugHandler:
//
//	muxmaster routes  URL                print the routes
//	muxmaster explain URL METHOD PATH    say which route serves a request
//	muxmaster openapi URL                print the OpenAPI document
//
// URL is where the handler is mounted, such as http://localhost:8080/debug/routes.
// With -json, routes and explain print JSON.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/internal/terminal"
)

const usage = `usage: muxmaster [-json] routes URL
       muxmaster [-json] explain URL METHOD PATH
       muxmaster openapi URL

URL is where Mux.DebugHandler is mounted, such as http://localhost:8080/debug/routes
`

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	if err := run(os.Stdout, *asJSON, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "muxmaster:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("wrong arguments\n" + usage)

func run(w io.Writer, asJSON bool, args []string) error {
	if len(args) < 2 {
		return errUsage
	}
	command, base := args[0], strings.TrimSuffix(args[1], "/")
	switch {
	case command == "routes" && len(args) == 2:
		var routes []struct {
			muxmaster.Route
			Warning string
		}
		data, err := get(base+"/routes.json", &routes)
		if err != nil || asJSON {
			return printJSON(w, data, err)
		}
		color := terminal.Colored(w)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, r := range routes {
			method := r.Method
			if method == "" {
				method = "*"
			}
			if color {
				method = terminal.Method(method)
			}
			warning := ""
			if r.Warning != "" {
				warning = "! " + r.Warning
			}
			fmt.Fprintf(tw, "%s\t%s%s\t%s\t%s:%d\t%s\n", method, r.Host, r.Pattern, r.Handler, r.File, r.Line, warning)
		}
		return tw.Flush()
	case command == "explain" && len(args) == 4:
		var e muxmaster.Explanation
		query := url.Values{"method": {args[2]}, "path": {args[3]}}
		data, err := get(base+"/explain.json?"+query.Encode(), &e)
		if err != nil || asJSON {
			return printJSON(w, data, err)
		}
		_, err = io.WriteString(w, e.String())
		return err
	case command == "openapi" && len(args) == 2:
		var doc map[string]any
		data, err := get(base+"/openapi.json", &doc)
		return printJSON(w, data, err)
	}
	return errUsage
}

func printJSON(w io.Writer, data []byte, err error) error {
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// get reads JSON from a DebugHandler into v.
func get(address string, v any) ([]byte, error) {
	client := &http.Client{Timeout: 10 * time.Second}
	res, err := client.Get(address)
	if err != nil {
		return nil, fmt.Errorf("the service does not answer: %w", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		line, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
		return nil, fmt.Errorf("%s answers %s: %.200q", address, res.Status, line)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return nil, fmt.Errorf("%s is not a DebugHandler of muxmaster: %w", address, err)
	}
	return data, nil
}
