// Package bench settles on the reader's own machine which router is how fast.
//
// Its data goes one way: a route set (package routes) and a kind of work make a [Scenario]; every contender (package
// contender) first proves that it routes the scenario's requests to the right routes with the right values ([Prove]), then
// they run against each other in interleaved rounds (package measure). The commands showdown and ratios and the Go
// benchmark Showdown are three ways to start that.
package bench
