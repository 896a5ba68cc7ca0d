package report

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

//go:embed published.csv
var publishedText string

// published is one figure of a published page.
type published struct {
	Page, Section, Scenario, Base, What string
	Contender                           string
	Value                               float64
}

func readPublished() (all []published, err error) {
	r := csv.NewReader(strings.NewReader(publishedText))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	for _, f := range rows[1:] {
		value, err := strconv.ParseFloat(f[6], 64)
		if err != nil {
			return nil, err
		}
		all = append(all, published{f[0], f[1], f[2], f[3], f[4], f[5], value})
	}
	return all, nil
}

// tolerance is the factor by which a ratio may differ from the published one
// and still hold, because machines and versions differ.
const tolerance = 1.5

// judge compares two ratios of the same pair.
func judge(published, measured float64) string {
	close := math.Abs(math.Log(measured/published)) <= math.Log(tolerance)
	even := func(v float64) bool { return v > 0.95 && v < 1/0.95 }
	switch {
	case close:
		return "holds"
	case even(measured) || even(published) || (measured < 1) == (published < 1):
		return "holds in kind: " + map[bool]string{true: "larger", false: "smaller"}[math.Abs(math.Log(measured)) > math.Abs(math.Log(published))]
	}
	return "doesn't hold"
}

// ReferenceFigures compares ratios of the published pages with those of this
// run.
func ReferenceFigures(r *showdown.Run) (string, error) {
	figures, err := readPublished()
	if err != nil {
		return "", err
	}
	var body strings.Builder
	verdicts, all := map[string]int{}, 0
	page, base := "", 0.0
	for _, f := range figures {
		if f.Page != page {
			page = f.Page
			fmt.Fprintf(&body, "\n## %s\n\n| scenario | ratio | published | here | |\n|---|---|---:|---:|---|\n", page)
		}
		if f.Contender == f.Base { // the first of its comparison
			base = f.Value
			continue
		}
		section := showdown.Section(f.Section)
		published := f.Value / base
		here, verdict := "–", "not measured"
		ours, ok := r.Cell(section, f.Scenario, f.Contender)
		if ourBase, ok2 := r.Cell(section, f.Scenario, f.Base); ok && ok2 {
			measured := ours.Samples.Min() / ourBase.Samples.Min()
			here, verdict = fmt.Sprintf("%.2f", measured), judge(published, measured)
		}
		all++
		kind, _, _ := strings.Cut(verdict, ":")
		verdicts[kind]++
		if verdict != "holds" {
			what := scenarioTitle(f.Scenario)
			if section == showdown.Heap {
				what = "heap, " + what
			}
			fmt.Fprintf(&body, "| %s | %s to %s | %.2f | %s | %s |\n", what, f.Contender, f.Base, published, here, verdict)
		}
	}
	return document("reference figures", r, fields{"Tolerance": tolerance, "All": all, "Verdicts": verdicts, "Tables": body.String()}), nil
}
