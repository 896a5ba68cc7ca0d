module github.com/seed-1954dcaa/muxmaster/analyzer

go 1.26

require github.com/seed-1954dcaa/muxmaster v0.0.0

replace github.com/seed-1954dcaa/muxmaster => ../
