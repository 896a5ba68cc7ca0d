package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
	"github.com/seed-1954dcaa/muxmaster/bench/showdown"
)

// Engine writes the tables of docs/engine.md: for each case and server the
// ratio of CPU time to the first server, with its interval and rank, and the
// latencies.
func Engine(r *showdown.Run, cases []load.Case) string {
	servers := load.HTTPServers
	rounds := 0
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
					rounds = len(x.Cell.Samples)
				}
				cells = append(cells, text)
			}
			text += figure.Row(cells...)
		}
		return text
	}
	ratios := table("requests in the CPU time of one net/http request", servers[1:],
		func(x row) string { return fmt.Sprintf("%.2f (%.2f–%.2f) #%d", x.Ratio, x.Lo, x.Hi, x.Place) })
	latencies := table("latency at that load, median / 99th percentile, µs", servers,
		func(x row) string { return fmt.Sprintf("%.0f / %.0f", x.p50()/1e3, x.p99()/1e3) })
	var rates []string
	for _, s := range servers[1:] {
		rate := mean(cases, func(c load.Case) bool { return c.Pipeline == 1 }, // hardly any client pipelines
			func(c load.Case) float64 {
				return measure.Median(server(r, c, s.Name).Samples) / measure.Median(server(r, c, servers[0].Name).Samples)
			})
		rates = append(rates, fmt.Sprintf("%s %.2f", s.Name, rate))
	}
	return document("engine", r, fields{"Ratios": ratios, "Rounds": rounds, "Rates": rates, "Latencies": latencies})
}

// serverTitle returns the name of a server in a table.
func serverTitle(s load.HTTPServer) string {
	if s.Handler == "native" && !strings.HasPrefix(s.Name, "grpc") {
		return s.Name + " (own handlers)"
	}
	return s.Name
}

// server returns the figures of a server in a case.
func server(r *showdown.Run, c load.Case, name string) showdown.Cell {
	cell, _ := r.Cell(showdown.Servers, c.String(), name)
	return cell
}

// mean returns the mean of a figure over the cases that match.
func mean(cases []load.Case, match func(load.Case) bool, figure func(load.Case) float64) float64 {
	var sum, n float64
	for _, c := range cases {
		if match(c) {
			sum += figure(c)
			n++
		}
	}
	return sum / n
}

// CheckEngine returns the results of the engine's targets, in the cases with 64
// connections and no pipelining. Each is a mean over cases.
func CheckEngine(r *showdown.Run, cases []load.Case) (lines []Line) {
	minimal := func(c load.Case) bool { return !c.Browser }
	browser := func(c load.Case) bool { return c.Browser }
	all := func(load.Case) bool { return true }
	for _, t := range []struct {
		ours, theirs, headers string
		match                 func(load.Case) bool
		want                  float64
	}{
		{"engine", "net/http", "minimal headers", minimal, 1.45},
		{"engine", "net/http", "browser headers", browser, 1.55},
		{"engine, recycling", "net/http", "minimal headers", minimal, 1.70},
		{"engine, recycling", "net/http", "browser headers", browser, 1.85},
		{"engine, recycling", "fasthttp", "all headers", all, 0.97},
	} {
		got := mean(cases, func(c load.Case) bool { return c.Connections == 64 && c.Pipeline == 1 && t.match(c) },
			func(c load.Case) float64 {
				return measure.Median(server(r, c, t.theirs).CPU) / measure.Median(server(r, c, t.ours).CPU)
			})
		lines = append(lines, Line{What: t.headers, Ours: t.ours, Peer: t.theirs, Value: got, Bound: t.want, Higher: true})
	}
	return lines
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

// http2Works returns the kinds of requests, the groups of rows of the table.
func http2Works() (names []string) {
	for _, c := range append(load.HTTP2Cases(), load.H2loadCases()...) {
		if w := c.Work(); !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	return names
}

// HTTP2 writes the HTTP/2 table of docs/engine.md: for each kind of request,
// server and shape of load the ratio of CPU time to net/http with its interval,
// the requests per second, and the latencies.
func HTTP2(r *showdown.Run) string {
	shapes, rounds := http2Shapes(), 0
	table := figure.Head(1, append([]string{"requests, server"}, shapes...)...)
	for _, work := range http2Works() {
		for _, s := range load.HTTP2Servers {
			cells, some := []string{"**" + work + "**, " + serverTitle(s)}, false
			for _, shape := range shapes {
				text := "–"
				if x, ok := http2Row(r, work, shape, s.Name); ok {
					text, some = http2Cell(x), true
					rounds = max(rounds, len(x.Cell.Samples))
				}
				cells = append(cells, text)
			}
			if some {
				table += figure.Row(cells...)
			}
		}
	}
	return document("http2", r, fields{"Table": table, "Pace": load.PacedShape, "Rounds": rounds})
}

func http2Cell(x row) string {
	text := figure.Count(x.perSecond()) + "/s"
	if x.p50() > 0 {
		text += "<br>" + figure.Duration(x.p50()) + " / " + figure.Duration(x.p99())
	}
	if x.Floor {
		return text
	}
	return fmt.Sprintf("**%.2f** (%.2f–%.2f)<br>", x.Ratio, x.Lo, x.Hi) + text
}

// http2Row returns the figures of a server.
func http2Row(r *showdown.Run, work, shape, server string) (row, bool) {
	return rank(r, showdown.HTTP2, work+", "+shape).row(server)
}

// HTTP2Line returns the README's line about HTTP/2. docs is the directory of the
// pages, relative to the README.
func HTTP2Line(r *showdown.Run, docs string) string {
	ratio := func(p load.Protocol, shape string) float64 {
		return http2Median(r, smallWorks(p), shape, "engine", cpuRatio)
	}
	return fmt.Sprintf("Over HTTP/2, it serves %.1f to %.1f requests in the CPU time that net/http needs for one, and %.1f to %.1f over TLS\n"+
		"([figures](%s/engine.md#http2): one request at a time, and 64 connections with ten each).\n",
		ratio(load.H2C, "1×1"), ratio(load.H2C, "64×10"), ratio(load.H2TLS, "1×1"), ratio(load.H2TLS, "64×10"), docs)
}

// smallWorks are the kinds of requests with small responses, from whose median
// the targets are judged.
func smallWorks(p load.Protocol) (names []string) {
	for _, w := range http2Works()[:6] {
		if strings.HasSuffix(w, string(p)) {
			names = append(names, w)
		}
	}
	return names
}

func cpuRatio(x, _ row) float64    { return x.Ratio }
func p99Ratio(x, base row) float64 { return base.p99() / x.p99() }

// http2Median returns the median of a figure over kinds of requests, or NaN if
// one of them wasn't measured.
func http2Median(r *showdown.Run, works []string, shape, server string, of func(x, base row) float64) float64 {
	var all []float64
	for _, w := range works {
		x, ok := http2Row(r, w, shape, server)
		base, _ := http2Row(r, w, shape, load.HTTP2Servers[0].Name)
		if !ok {
			return math.NaN()
		}
		all = append(all, of(x, base))
	}
	return measure.Median(all)
}

// CheckHTTP2 returns the results of the engine's targets over HTTP/2.
func CheckHTTP2(r *showdown.Run) (lines []Line) {
	add := func(title string, works []string, server string, of func(x, base row) float64, want ...float64) {
		for i, shape := range http2Shapes() {
			if i < len(want) && want[i] > 0 {
				lines = append(lines, Line{What: title + ", " + shape, Ours: server, Peer: load.HTTP2Servers[0].Name,
					Value: http2Median(r, works, shape, server, of), Bound: want[i], Higher: true})
			}
		}
	}
	for _, t := range []struct {
		server   string
		protocol load.Protocol
		want     []float64
	}{
		{"engine", load.H2C, []float64{1.75, 4.5, 6.5, 3.5, 5.5, 1.9}},
		{"engine, recycling", load.H2C, []float64{1.85, 5, 9, 3.8, 7, 1.9}},
		{"engine", load.H2TLS, []float64{1.35, 3.5, 6, 3.0, 4.5, 1.6}},
		{"engine, recycling", load.H2TLS, []float64{1.4, 4, 7, 2.9, 5.5, 1.6}},
	} {
		works := smallWorks(t.protocol)
		add(string(t.protocol), works, t.server, cpuRatio, t.want[:5]...)
		paced := slices.DeleteFunc(slices.Clone(works), func(w string) bool { return strings.HasPrefix(w, "echo") })
		add(string(t.protocol), paced, t.server, cpuRatio, 0, 0, 0, 0, 0, t.want[5])
		add("99th percentile, "+string(t.protocol), works, t.server, p99Ratio, 1, 1, 1, 1, 1)
	}
	works := http2Works()
	add(works[6], works[6:7], "engine", cpuRatio, 1.8, 0, 0, 1.8)
	add(works[7], works[7:8], "engine", cpuRatio, 1.5, 0, 0, 1.5)
	add(works[8], works[8:9], "engine", cpuRatio, 1.6, 4, 4.5, 3)
	add(works[9], works[9:10], "engine", cpuRatio, 1.4, 2.5, 2.5, 1.9)
	return lines
}
