// Package migrate tests that inspect.Compare finds what goes wrong when a
// program moves from another router: each trap is a small program of that
// router, and the translation that looks right and isn't.
package migrate
