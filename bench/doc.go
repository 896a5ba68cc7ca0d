// Package bench compares routers on the reader's own machine.
//
// A route set (package routes) and a kind of work make a [Scenario]. Every
// contender (package contender) first proves that it routes the scenario's
// requests to the right routes with the right values ([Prove]). Then [Load]
// builds its router, and the tasks of [Loaded] run against each other in
// interleaved rounds (package measure). The commands showdown and ratios and
// the Go benchmark Showdown start that.
package bench
