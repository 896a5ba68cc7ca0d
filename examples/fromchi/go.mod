module github.com/seed-1954dcaa/muxmaster/examples/fromchi

go 1.26

require (
	github.com/go-chi/chi/v5 v5.5.0
	github.com/seed-1954dcaa/muxmaster v0.2.0
)
