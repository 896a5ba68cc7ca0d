package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// A row contains the counts for one module.
type row struct {
	module string
	result
}

const (
	docs  = "../docs/checks.md"
	start = "<!-- the counts of go run ./corpus -write -->\n"
	end   = "<!-- end of the counts -->\n"
)

// writeDocs writes the counts between the markers in docs/checks.md.
func writeDocs(rows []row, total result) error {
	text, err := os.ReadFile(docs)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), start)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return errors.New(docs + " has no markers for the counts")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: %d modules, %d packages that use net/http, %d handlers; %d reports, of which %d are false alarms (%.1f %%).\n\n",
		time.Now().Format(time.DateOnly), runtime.Version(), len(rows), total.packages, total.handlers, total.reports, total.wrong,
		100*float64(total.wrong)/float64(max(1, total.reports)))
	b.WriteString("| module with reports | packages | handlers | reports | false alarms |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		if r.reports > 0 {
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", r.module, r.packages, r.handlers, r.reports, r.wrong)
		}
	}
	return os.WriteFile(docs, []byte(before+start+b.String()+end+after), 0o666)
}
