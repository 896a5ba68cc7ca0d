package compare

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed features.txt
var featuresText string

// A feature is one row of the second table. It maps the keys and routers of
// features.txt, which describes them, to their values.
type feature struct {
	text string
	at   map[string]string
}

// peers are the other columns of the second table. huma is an API framework on top
// of other routers: what a router does counts as no.
var peers = append(slices.Clone(routers[1:]), router{name: "huma", module: "github.com/danielgtaylor/huma/v2"})

var features = func() (all []feature) {
	for line := range strings.Lines(featuresText) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "" || line[0] == '#':
		case line[0] != '\t':
			all = append(all, feature{line, map[string]string{}})
		default:
			key, value, _ := strings.Cut(line[1:], " ")
			all[len(all)-1].at[key] = value
		}
	}
	return all
}()

// featureTable returns the table in Markdown.
func featureTable() string {
	var b strings.Builder
	head := []string{"", "muxmaster"}
	for _, p := range peers {
		head = append(head, p.name)
	}
	b.WriteString(tableRow(head...) + "|" + strings.Repeat("---|", len(head)) + "\n")
	for _, f := range features {
		ours := "no: " + f.at["reason"]
		switch {
		case f.at["test"] != "":
			ours = "yes: `" + f.at["test"] + "`"
		case f.at["recipe"] != "":
			ours = "[by recipe](recipes.md#" + strings.NewReplacer(" ", "-", "/", "").Replace(strings.ToLower(f.at["recipe"])) + ")"
		}
		cells := []string{f.text, ours}
		for _, p := range peers {
			switch at := f.at[p.name]; {
			case at == "", strings.HasPrefix(at, "no: "):
				cells = append(cells, "no")
			case strings.HasPrefix(at, "recipe: "):
				cells = append(cells, "by recipe")
			default:
				cells = append(cells, "yes")
			}
		}
		b.WriteString(tableRow(cells...))
	}
	return b.String()
}
