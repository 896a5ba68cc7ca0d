// Package bench compares the speed of routers.
//
// A [Scenario] is a route set (package routes) and the work of its handlers.
// [Prove] checks that a contender (package contender) matches the scenario's
// requests with the right routes and values. Then [Load] creates its router,
// and the tasks of [Loaded] run in interleaved rounds (package measure). The
// command showdown and the Go benchmark Showdown use this.
package bench
