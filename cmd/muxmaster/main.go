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
	"slices"
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

// forms are the commands.
var forms = map[string]struct {
	run         func(*command, io.Writer) error
	page        bool // the first argument is the URL of the page
	least, most int  // number of arguments
	needs       string
	flags       []string // that it has
}{
	"routes":  {(*command).routes, true, 1, 1, "", []string{"json", "tree", "H", "insecure"}},
	"explain": {(*command).explain, true, 2, 3, "a path, such as /users/1", []string{"json", "all", "H", "insecure"}},
	"openapi": {(*command).openapi, true, 1, 1, "", []string{"json", "H", "insecure"}},
	"compare": {(*command).compare, false, 2, 2, "the URLs of two services", []string{"routes", "log", "har", "H", "insecure"}},
	"diff":    {(*command).diff, false, 2, 2, "two routes.json files", nil},
	"urls":    {(*command).urls, false, 1, 2, "a routes.json file", nil},
}

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
	if err := forms[c.name].run(c, stdout); err == errDiffers {
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
	c.name, c.args = words[0], words[1:]
	form, ok := forms[c.name]
	extra := ""
	flags.Visit(func(f *flag.Flag) {
		if !slices.Contains(form.flags, f.Name) {
			extra = f.Name
		}
	})
	switch {
	case c.name == "help":
		return nil, flag.ErrHelp
	case !ok:
		return nil, fmt.Errorf("unknown command %q: use routes, explain, openapi, compare, diff or urls", c.name)
	case extra != "":
		return nil, fmt.Errorf("%s has no flag -%s", c.name, extra)
	case form.page && len(c.args) == 0:
		return nil, fmt.Errorf("%s needs the URL of the page", c.name)
	case len(c.args) < form.least:
		return nil, fmt.Errorf("%s needs %s", c.name, form.needs)
	case len(c.args) > form.most:
		return nil, fmt.Errorf("unexpected argument %q of %s", c.args[form.most], c.name)
	case c.name == "compare" && c.routesFile+c.log+c.har == "":
		return nil, errors.New("compare needs requests: -routes, -log or -har")
	}
	if form.page {
		var err error
		if c.base, err = baseURL(c.args[0]); err != nil {
			return nil, err
		}
		c.args = c.args[1:]
	}
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
