// Package client is generated: see package openapi.
package client
