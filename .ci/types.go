//go:build ignore

// Command types type-checks the packages of the root module and their tests for
// other operating systems. Run it in analyzer/, whose go.mod has what it imports:
//
//	go run ../.ci/types.go windows darwin freebsd plan9 js wasip1
//
// It reads only the declarations of the standard library, from source. Building,
// or go vet, would compile the whole standard library for each system.
package main

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"sync"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("types: ")
	if len(os.Args) < 2 {
		log.Fatal("usage: go run ../.ci/types.go <GOOS> ...")
	}
	var wg sync.WaitGroup
	for _, system := range os.Args[1:] {
		processor := runtime.GOARCH
		if system == "js" || system == "wasip1" {
			processor = "wasm"
		}
		wg.Go(func() {
			all, err := packages.Load(&packages.Config{
				Mode: packages.LoadAllSyntax, Tests: true, Dir: "..",
				Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOWORK=off"),
			}, "./...")
			if err != nil || packages.PrintErrors(all) > 0 {
				log.Fatalf("%s: the types are wrong: %v", system, err)
			}
			fmt.Printf("%s: %d packages\n", system, len(all))
		})
	}
	wg.Wait()
}
