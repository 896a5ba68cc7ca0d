// Package muxmaster is an HTTP router whose handlers are plain http.Handlers.
package muxmaster
