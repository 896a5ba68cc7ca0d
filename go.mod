module github.com/seed-1954dcaa/muxmaster

go 1.26
