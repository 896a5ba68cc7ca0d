package showdown

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/contender"
	"github.com/seed-1954dcaa/muxmaster/bench/load"
)

// This file measures our router without package unsafe. That is the command
// itself, built with another tag and started as a worker for each unit.

// workerFlag starts the command as a worker.
const workerFlag = "-worker"

// safeTag is the build tag for our router without package unsafe, and safeName
// its name.
const (
	safeTag  = "muxmaster_safe"
	safeName = "muxmaster safe"
)

// buildSafe builds the worker in dir.
func buildSafe(ctx context.Context, dir string) (binary string, err error) {
	binary = filepath.Join(dir, "showdown-safe")
	build := exec.CommandContext(ctx, "go", "build", "-tags", safeTag, "-o", binary, "github.com/seed-1954dcaa/muxmaster/bench/cmd/showdown")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return binary, nil
}

// An order says which unit a worker measures. The response are the cells.
type order struct {
	Key  string // of a unit
	Plan Plan
	Run  *Run // the results so far
}

// measureSafe measures a unit with the worker.
func measureSafe(ctx context.Context, binary string, o order) (cells []Cell, err error) {
	in, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, workerFlag)
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", safeName, err)
	}
	return cells, json.Unmarshal(out, &cells)
}

// Help runs a helper if this process was started as one: a worker that measures
// the unit of an order with the router that this binary has, or a server that is
// put under load. Helpers ignore Ctrl-C, which reaches them too, and end with
// their input, so that the current unit is dropped in order.
func Help() (asked bool, err error) {
	server, isServer := load.Asked()
	isWorker := len(os.Args) == 2 && os.Args[1] == workerFlag
	if !isServer && !isWorker {
		return false, nil
	}
	signal.Ignore(os.Interrupt)
	if isServer {
		return true, load.Serve(server)
	}
	c, err := contender.Named(safeName)
	if err != nil {
		return true, err
	}
	return true, serve(c, os.Stdin, os.Stdout)
}

func serve(c contender.Contender, in io.Reader, out io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	before := len(o.Run.Cells)
	for _, u := range units([]contender.Contender{c}, o.Plan) {
		if u.key != o.Key { // a second part has no cells of this contender
			continue
		}
		if err := u.run(context.Background(), o.Run, func(float64) {}); err != nil {
			return err
		}
	}
	return json.NewEncoder(out).Encode(o.Run.Cells[before:])
}
