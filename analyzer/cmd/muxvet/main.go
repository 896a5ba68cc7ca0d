// Command muxvet checks the handlers and routes of a program that uses
// muxmaster, and rewrites programs of other routers.
//
//	go vet -vettool=$(which muxvet) ./...
//	muxvet [-fix [-diff]] ./...
//	muxvet -migrate chi|echo|gin|gorilla|httprouter|servemux [-diff] ./...
//	muxvet help [check]
package main

import (
	"os"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/analyzer"
	"golang.org/x/tools/go/analysis/multichecker"
)

func main() {
	for _, arg := range os.Args[1:] {
		if name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "="); name == "-migrate" || arg[0] == '-' && name == "migrate" {
			os.Exit(migrateMain(os.Args[1:], os.Stdout, os.Stderr))
		}
	}
	multichecker.Main(analyzer.All()...)
}
