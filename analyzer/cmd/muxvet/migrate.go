package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer/migrate"
)

// migrateMain implements muxvet -migrate. Like the checks, it returns 3 if it
// reports something that must be done by hand.
func migrateMain(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("muxvet", flag.ContinueOnError)
	flags.SetOutput(stderr)
	from := flags.String("migrate", "", "rewrite a program of this `router`: "+strings.Join(migrate.Routers(), ", "))
	diff := flags.Bool("diff", false, "print the changes without writing files")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	result, err := migrate.Run(*from, ".", patterns...)
	if err != nil {
		fmt.Fprintln(stderr, "muxvet:", err)
		return 1
	}
	here, _ := os.Getwd()
	code := 0
	for _, n := range result.Notes {
		if n.Blocks {
			code = 3
		}
		if !n.Position.IsValid() {
			fmt.Fprintln(stderr, n.Text)
			continue
		}
		fmt.Fprintf(stderr, "%s:%d: %s\n", relative(here, n.Position.Filename), n.Position.Line, n.Text)
	}
	for _, path := range result.Behind {
		fmt.Fprintf(stderr, "%s: not changed: resolve the notes above first\n", path)
		code = 3
	}
	for _, f := range result.Files {
		f.Name = relative(here, f.Name)
		if *diff {
			fmt.Fprint(stdout, f.Diff())
		} else {
			fmt.Fprintln(stdout, f.Name)
		}
	}
	if *diff {
		return code
	}
	if err := result.Write(); err != nil {
		fmt.Fprintln(stderr, "muxvet:", err)
		return 1
	}
	if len(result.Files) > 0 {
		fmt.Fprintln(stderr, "rewritten; now run: go mod tidy, your tests, and muxvet ./...")
	}
	return code
}

// relative returns the name of a file relative to dir, if the file is in dir.
func relative(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}
