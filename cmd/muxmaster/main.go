// Command muxmaster shows the routes of a running service that has mounted
// inspect.Handler:
//
//	muxmaster routes  URL                  print the routes
//	muxmaster explain URL [METHOD] PATH    say which route serves a request
//	muxmaster openapi URL                  print the OpenAPI document
//	muxmaster compare OLD NEW              compare the responses of two services
//	muxmaster diff    OLD.json NEW.json    compare the routes of two versions
//	muxmaster urls    FILE [PACKAGE]       write functions for the paths of named routes
//
// URL is where the handler is mounted, such as localhost:8080/debug/routes.
//
// The exit status is 0 on success, 1 if compare or diff found differences, and 2
// after an error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

const synopsis = `usage: muxmaster routes  [flags] URL
       muxmaster explain [flags] URL [METHOD] PATH
       muxmaster openapi [flags] URL
       muxmaster compare [flags] -routes FILE OLD NEW
       muxmaster diff OLD.json NEW.json
       muxmaster urls ROUTES.json [PACKAGE]

`

const usage = synopsis + `routes prints the routes of a service, explain says which one serves a request
and why the others don't, openapi prints the routes as an OpenAPI document.

URL is where inspect.Handler is mounted, such as localhost:8080/debug/routes.
METHOD defaults to GET. PATH can have a query, or be a URL with a host.

compare sends requests to two services, such as http://localhost:8080, and
prints which responses differ, lost logins first. It really sends them, with
all methods: give both services a copy of the data. The requests try all routes
of a routes.json and what surrounds them, or are those of a log or a HAR file.
diff prints the same for two routes.json files, without running anything. To
write such a file, use routes -json.

urls writes a Go package with a function for each route that has a name, such
as UserShow(id int) string, which returns its path.

flags:
  -json       print JSON
  -tree       print the routes as a tree, with groups, mounts and middleware
  -all        explain every route, not only the first 20
  -H header   send a header, such as "Authorization: Bearer x"; may be repeated
  -insecure   don't verify the certificate of an https URL
  -routes f   compare: the routes.json of either service
  -log f      compare: an access log, common, combined or JSON
  -har f      compare: a HAR file of a browser

The exit status is 1 if compare or diff found differences, and 2 after an error.
`

// A command holds the parsed arguments.
type command struct {
	name string
	base *url.URL // of the page
	args []string // the arguments after it

	json, tree, all, insecure bool
	routesFile, log, har      string
	header                    http.Header
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the command and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		io.WriteString(stdout, usage)
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "muxmaster: %v\n\n%smuxmaster -h prints more.\n", err, synopsis)
		return 2
	}
	if err := c.run(stdout); err == errDiffers {
		return 1
	} else if err != nil {
		fmt.Fprintln(stderr, "muxmaster:", err)
		return 2
	}
	return 0
}

// parse parses the arguments. Flags and other arguments can be in any order.
func parse(args []string) (*command, error) {
	c := &command{header: http.Header{}}
	flags := flag.NewFlagSet("muxmaster", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&c.json, "json", false, "")
	flags.BoolVar(&c.tree, "tree", false, "")
	flags.BoolVar(&c.all, "all", false, "")
	flags.BoolVar(&c.insecure, "insecure", false, "")
	flags.StringVar(&c.routesFile, "routes", "", "")
	flags.StringVar(&c.log, "log", "", "")
	flags.StringVar(&c.har, "har", "", "")
	flags.Func("H", "", func(s string) error {
		name, value, ok := strings.Cut(s, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return errors.New(`write "Name: value"`)
		}
		c.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	})
	var words []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			break
		}
		words = append(words, flags.Arg(0))
		args = flags.Args()[1:]
	}
	if len(words) == 0 {
		return nil, errors.New("missing command: use routes, explain, openapi, compare, diff or urls")
	}
	c.name = words[0]
	most := map[string]int{"routes": 2, "explain": 4, "openapi": 2, "compare": 3, "diff": 3, "urls": 3}[c.name]
	switch {
	case c.name == "help":
		return nil, flag.ErrHelp
	case most == 0:
		return nil, fmt.Errorf("unknown command %q: use routes, explain, openapi, compare, diff or urls", c.name)
	case c.name == "compare" && len(words) < 3:
		return nil, errors.New("compare needs the URLs of two services")
	case c.name == "compare" && c.routesFile+c.log+c.har == "":
		return nil, errors.New("compare needs requests: -routes, -log or -har")
	case c.name == "diff" && len(words) < 3:
		return nil, errors.New("diff needs two routes.json files")
	case c.name == "urls" && len(words) < 2:
		return nil, errors.New("urls needs a routes.json file")
	case len(words) < 2:
		return nil, fmt.Errorf("%s needs the URL of the page", c.name)
	case c.name == "explain" && len(words) < 3:
		return nil, errors.New("explain needs a path, such as /users/1")
	case len(words) > most:
		return nil, fmt.Errorf("unexpected argument %[2]q of %[1]s", c.name, words[most])
	}
	if c.name == "compare" || c.name == "diff" || c.name == "urls" {
		c.args = words[1:]
		return c, nil
	}
	var err error
	if c.base, err = baseURL(words[1]); err != nil {
		return nil, err
	}
	c.args = words[2:]
	if c.name == "explain" {
		if len(c.args) == 1 {
			c.args = []string{http.MethodGet, c.args[0]}
		}
		if path := c.args[1]; !strings.HasPrefix(path, "/") && !strings.Contains(path, "://") {
			return nil, fmt.Errorf("the path %q must begin with a slash", path)
		}
		c.args[0] = methodName(c.args[0])
	}
	return c, nil
}

// methodName returns a standard method in upper case. Other methods are
// case-sensitive.
func methodName(s string) string {
	switch upper := strings.ToUpper(s); upper {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE", "QUERY":
		return upper
	}
	return s
}

func (c *command) run(w io.Writer) error {
	switch c.name {
	case "explain":
		return c.explain(w)
	case "openapi":
		return c.openapi(w)
	case "compare":
		return c.compare(w)
	case "diff":
		return c.diff(w)
	case "urls":
		return c.urls(w)
	}
	return c.routes(w)
}
