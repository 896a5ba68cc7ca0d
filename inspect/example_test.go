package inspect_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

func ExamplePrint() {
	mux := muxmaster.New()
	mux.GET("/users/:id", func(w http.ResponseWriter, r *http.Request) {})
	mux.Handle("/debug/", http.NotFoundHandler())
	var table strings.Builder
	inspect.Print(&table, mux) // usually os.Stdout
	for line := range strings.Lines(table.String()) {
		fmt.Println(strings.Fields(line)[:2]) // then the handler, the file and the line
	}
	// Output:
	// [* /debug/]
	// [GET /users/:id]
}
