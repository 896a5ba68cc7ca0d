package problem_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/seed-1954dcaa/muxmaster/problem"
)

func TestStatus(t *testing.T) {
	plain := errors.New("plain")
	tooLarge := &http.MaxBytesError{Limit: 1}
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"nil", nil, 500},
		{"plain", plain, 500},
		{"code", problem.Code(404), 404},
		{"error", &problem.Error{Status: 422}, 422},
		{"error without status", &problem.Error{}, 500},
		{"wrapped", fmt.Errorf("a: %w", fmt.Errorf("b: %w", coded(409))), 409},
		{"outer one first", &problem.Error{Status: 502, Err: coded(404)}, 502},
		{"outer one says nothing", &problem.Error{Err: coded(404)}, 404},
		{"joined", errors.Join(plain, coded(410), coded(411)), 410},
		{"joined below", fmt.Errorf("%w and %w", errors.Join(plain, coded(200)), coded(412)), 412},
		{"body too large", fmt.Errorf("read: %w", tooLarge), 413},
		{"body too large, joined", errors.Join(tooLarge, coded(410)), 413},
		{"status before body too large", &problem.Error{Status: 400, Err: tooLarge}, 400},
		{"lowest", coded(400), 400},
		{"highest", coded(599), 599},
		{"too low", coded(399), 500},
		{"too high", coded(600), 500},
		{"negative", coded(-404), 500},
		{"a code that is no error", problem.Code(200), 500},
		{"a nil *Error", (*problem.Error)(nil), 500},
	} {
		if got := problem.Status(tt.err); got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.want)
		}
	}
}
