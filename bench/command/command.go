// Package command contains what the commands of this module share.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// Regexp defines a flag for a regular expression that matches everything if the
// flag isn't set.
func Regexp(name, usage string) *regexp.Regexp {
	expr := new(regexp.Regexp)
	flag.TextVar(expr, name, regexp.MustCompile(""), usage)
	return expr
}

// Main parses the flags and calls run, whose context ends with Ctrl-C. It exits
// with status 1 if run reports that what it measured isn't good enough, and with
// status 2 after an error or with other than the named arguments.
func Main(run func(ctx context.Context) (missed bool, err error), arguments ...string) {
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: [flags]")
		for _, a := range arguments {
			fmt.Fprintf(flag.CommandLine.Output(), " <%s>", a)
		}
		fmt.Fprintln(flag.CommandLine.Output())
		flag.PrintDefaults()
	}
	if !flag.Parsed() {
		flag.Parse()
	}
	if flag.NArg() != len(arguments) {
		fmt.Fprintf(os.Stderr, "got the arguments %q, want %d\n", flag.Args(), len(arguments))
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // another Ctrl-C ends the program at once
	missed, err := run(ctx)
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "interrupted")
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case missed:
		os.Exit(1)
	}
}
