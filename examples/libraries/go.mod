module github.com/seed-1954dcaa/muxmaster/examples/libraries

go 1.26.0

require (
	github.com/alexedwards/scs/v2 v2.9.0
	github.com/seed-1954dcaa/muxmaster v0.2.0
)
