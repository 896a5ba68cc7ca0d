// Package command contains what the commands of this module share.
package command

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// Regexp defines a flag for a regular expression. The empty one matches everything.
func Regexp(name, value, usage string) *regexp.Regexp {
	expr := new(regexp.Regexp)
	flag.TextVar(expr, name, regexp.MustCompile(value), usage)
	return expr
}

// Main parses the flags and calls run, whose context ends with Ctrl-C. It exits
// with status 2 after an error or with arguments.
func Main(run func(ctx context.Context) error) {
	if flag.Parse(); flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unknown arguments %q\n", flag.Args())
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // another Ctrl-C ends the program at once
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
