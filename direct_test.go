//go:build !muxmaster_safe

package muxmaster_test

import (
	"os"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	delivery "github.com/seed-1954dcaa/muxmaster/internal/values"
)

// TestMain runs all tests as if the layout of net/http were unknown, if the
// environment variable is set:
//
//	MUXMASTER_FALLBACK=1 go test -skip 'Alloc|BytesPerValue|KeptRequests|FastPathValues' .
func TestMain(m *testing.M) {
	if os.Getenv("MUXMASTER_FALLBACK") != "" {
		delivery.Direct = false
	}
	os.Exit(m.Run())
}

// Path values are delivered directly with every Go release that the module
// supports.
func TestFastPathValues(t *testing.T) {
	if !muxmaster.FastPathValues() {
		t.Error("the layout of net/http's types is unknown")
	}
}
