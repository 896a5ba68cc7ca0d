package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// Engine writes the tables of docs/engine.md: for each case and server the
// ratio of CPU time to the first server, with its interval and rank, and the
// latencies.
func Engine(r *showdown.Run) string {
	cases := slices.DeleteFunc(load.Cases(), func(c load.Case) bool { return len(r.In(showdown.Servers, c.String())) == 0 })
	servers := slices.DeleteFunc(slices.Clone(load.HTTPServers), func(s load.HTTPServer) bool {
		return !slices.ContainsFunc(r.In(showdown.Servers, ""), func(c showdown.Cell) bool { return c.Contender == s.Name })
	})
	rounds := math.MaxInt
	table := func(title string, servers []load.HTTPServer, cell func(row) string) string {
		head := []string{title}
		for _, s := range servers {
			head = append(head, serverTitle(s))
		}
		text := figure.Head(1, head...)
		for _, c := range cases {
			ranking := rank(r, showdown.Servers, c.String())
			cells := []string{c.String()}
			for _, s := range servers {
				text := "–"
				if x, ok := ranking.row(s.Name); ok {
					text = cell(x)
					rounds = min(rounds, len(x.Cell.Samples))
				}
				cells = append(cells, text)
			}
			text += figure.Row(cells...)
		}
		return text
	}
	ratios := table("requests in the CPU time of one net/http request", servers[1:],
		func(x row) string { return fmt.Sprintf("%.2f (%.2f–%.2f) #%d", x.Ratio, x.Lo, x.Hi, x.Place) })
	times := table("CPU time of a request, and how much of it is in the kernel", servers, row.cpu)
	latencies := table("latency at that load, median / 99th / 99.9th percentile, ms", servers,
		func(x row) string { // wrk often reports a percentile of 0 for pipelined requests
			return strings.ReplaceAll(fmt.Sprintf("%.1f / %.1f / %.1f", x.P50()/1e6, x.P99()/1e6, x.p999()/1e6), " 0.0", " –")
		})
	memory := table("resident memory, MB", servers, func(x row) string { return fmt.Sprintf("%.0f", x.memory()) })
	var rates []string
	for _, s := range servers[1:] {
		sum, n := 0.0, 0.0
		for _, c := range slices.DeleteFunc(slices.Clone(cases), func(c load.Case) bool { return !c.Simple() }) {
			base, _ := r.Cell(showdown.Servers, c.String(), servers[0].Name)
			cell, _ := r.Cell(showdown.Servers, c.String(), s.Name)
			sum, n = sum+cell.Samples.Summary().Center/base.Samples.Summary().Center, n+1
		}
		if rate := sum / n; !math.IsNaN(rate) { // it serves all of them
			rates = append(rates, fmt.Sprintf("%s %.2f", s.Name, rate))
		}
	}
	return document("engine", r, fields{
		"Costs": costs(r, showdown.Servers, "engine"), "Recycling": costs(r, showdown.Servers, "engine, recycling"), "Kernel": kernel(r, showdown.Servers),
		"Ratios": ratios, "Rounds": rounds, "Rates": rates, "Times": times, "Latencies": latencies, "Memory": memory,
	})
}

// serverTitle returns the name of a server in a table.
func serverTitle(s load.HTTPServer) string {
	switch {
	case s.Handler == "plain" || strings.HasPrefix(s.Name, "grpc"):
		return s.Name
	case s.Handler == "native":
		return s.Name + " (own handlers)"
	}
	return s.Name + " (" + s.Handler + ")"
}

// costs says how much CPU time requests take on one of our servers, compared with
// servers in other languages, or returns "" if none was measured.
func costs(r *showdown.Run, section showdown.Section, ours string) string {
	var parts []string
	for _, peer := range []string{"hyper", "h2o"} {
		lo, hi := math.Inf(1), 0.0
		for _, scenario := range scenarios(r, section) {
			ranking := rank(r, section, scenario)
			a, ok1 := ranking.row(ours)
			b, ok2 := ranking.row(peer)
			if ok1 && ok2 {
				lo, hi = min(lo, b.Ratio/a.Ratio), max(hi, b.Ratio/a.Ratio)
			}
		}
		if hi > 0 {
			parts = append(parts, fmt.Sprintf("%.2f to %.2f of %s's", lo, hi, peer))
		}
	}
	return strings.Join(parts, " and ")
}

// kernel says which part of its CPU time each server spends in the kernel: the median
// of the cases.
func kernel(r *showdown.Run, section showdown.Section) string {
	var parts []string
	for _, s := range load.HTTPServers {
		var shares showdown.Samples
		for _, c := range r.In(section, "") {
			if c.Contender == s.Name && len(c.Kernel) > 0 {
				shares = append(shares, c.Kernel.Summary().Center/c.CPU.Summary().Center)
			}
		}
		if len(shares) > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", s.Name, 100*shares.Summary().Center))
		}
	}
	return strings.Join(parts, ", ")
}

// picturedHTTP2 is the work in the README's picture.
var picturedHTTP2 = load.HTTP2Cases()[slices.IndexFunc(load.HTTP2Cases(), func(c load.Case) bool { return c.Browser })].Work()

// http2Shapes are the columns of the table.
func http2Shapes() (names []string) {
	for _, s := range load.HTTP2Shapes {
		names = append(names, load.Case{Connections: s[0], Streams: s[1]}.Shape())
	}
	return append(names, load.PacedShape)
}

// http2Works returns the kinds of requests of a run, the groups of rows of the
// table.
func http2Works(r *showdown.Run) (names []string) {
	for _, scenario := range scenarios(r, showdown.HTTP2) {
		if work := scenario[:strings.LastIndex(scenario, ", ")]; !slices.Contains(names, work) {
			names = append(names, work)
		}
	}
	return names
}

// HTTP2 writes the HTTP/2 table of docs/engine.md: for each kind of request,
// server and shape of load the ratio of CPU time to net/http with its interval,
// the requests per second, and the latencies.
func HTTP2(r *showdown.Run) string {
	shapes, rounds := http2Shapes(), math.MaxInt
	table := figure.Head(1, append([]string{"requests, server"}, shapes...)...)
	for _, work := range http2Works(r) {
		for _, s := range load.HTTPServers {
			cells, some := []string{"**" + work + "**, " + serverTitle(s)}, false
			for _, shape := range shapes {
				text := "–"
				if x, ok := rank(r, showdown.HTTP2, work+", "+shape).row(s.Name); ok {
					text, some = http2Cell(x), true
					rounds = min(rounds, len(x.Cell.Samples))
				}
				cells = append(cells, text)
			}
			if some {
				table += figure.Row(cells...)
			}
		}
	}
	return document("http2", r, fields{"Costs": costs(r, showdown.HTTP2, "engine"), "Recycling": costs(r, showdown.HTTP2, "engine, recycling"), "Kernel": kernel(r, showdown.HTTP2), "Table": table, "Pace": load.PacedShape, "Rounds": rounds})
}

func http2Cell(x row) string {
	text := figure.Count(x.PerSecond()) + "/s"
	if len(x.Cell.Kernel) > 0 {
		text += "<br>" + x.cpu()
	}
	if x.P50() > 0 {
		text += "<br>" + figure.Duration(x.P50()) + " / " + figure.Duration(x.P99())
	}
	if x.Floor {
		return text
	}
	return fmt.Sprintf("**%.2f** (%.2f–%.2f)<br>", x.Ratio, x.Lo, x.Hi) + text
}

// HTTP2Line returns the README's line about HTTP/2, with figures of the picture and
// the same ones over TLS. docs is the directory of the pages, relative to the README.
func HTTP2Line(r *showdown.Run, docs string) string {
	ratio := func(protocol load.Protocol, shape string) string {
		work := strings.Replace(picturedHTTP2, string(load.H2C), string(protocol), 1)
		x, _ := rank(r, showdown.HTTP2, work+", "+shape).row("engine")
		return fmt.Sprintf("%.1f", x.Ratio)
	}
	return document("http2 line", r, fields{"Docs": docs, "One": ratio(load.H2C, "1×1"), "Many": ratio(load.H2C, "64×10"),
		"OneTLS": ratio(load.H2TLS, "1×1"), "ManyTLS": ratio(load.H2TLS, "64×10"), "Costs": costs(r, showdown.HTTP2, "engine")})
}
