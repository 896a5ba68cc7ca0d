// Command muxvet checks the handlers and routes of a program that uses
// muxmaster.
//
//	go vet -vettool=$(which muxvet) ./...
//	muxvet [-fix [-diff]] ./...
//	muxvet help [check]
package main

import (
	"github.com/seed-1954dcaa/muxmaster/analyzer"
	"golang.org/x/tools/go/analysis/multichecker"
)

func main() { multichecker.Main(analyzer.All()...) }
