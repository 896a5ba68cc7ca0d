#!/usr/bin/env bash
# Runs all tests of all modules, in less than 20 minutes on two cores. It stops at
# the first failure and prints the failed step.
#
#	./test.sh          everything
#	./test.sh -short   the root module without the servers, with and without unsafe:
#	                   less than two minutes after everything was compiled
set -euo pipefail
cd "$(dirname "$0")"

short=${1:-}
if [[ $# -gt 1 || ( -n $short && $short != -short ) ]]; then
	echo "usage: ./test.sh [-short]" >&2
	exit 2
fi

summary=()

# step runs a command and records its duration.
step() {
	local name=$1 started=$SECONDS
	shift
	printf '\n== %s\n' "$name"
	if ! "$@"; then
		printf '\nFAILED: %s, after %d s\n' "$name" $((SECONDS - started)) >&2
		exit 1
	fi
	summary+=("$(printf '%5d s  %s' $((SECONDS - started)) "$name")")
}

finish() {
	printf '\n'
	printf '%s\n' "${summary[@]}"
	printf '%5d s  in total\n\nAll tests passed.\n' "$SECONDS"
	exit 0
}

formatted() {
	local files
	files=$(git ls-files -z '*.go' | xargs -0 gofmt -l) || return
	[[ -z $files ]] || { printf 'not formatted with gofmt:\n%s\n' "$files"; return 1; }
}

# nested tests a nested module with the dependencies in its go.mod, and with the root
# module of this checkout. To compile each library only once, vet and the tests use
# the same flags, and so does the later installation from a tag. The module interop
# runs with the race detector.
nested() (
	cd "$1"
	local flags=(-trimpath)
	[[ $1 != interop ]] || flags=(-race)
	go vet "${flags[@]}" ./... && go test "${flags[@]}" ./...
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Tests of these packages put load on servers and attack them. With the race detector,
# which makes them ten times as slow, they don't run together with other tests.
servers='./server ./engine'
others=$(go list ./... | grep -vE '/(server|engine)$')

step "gofmt" formatted
step "vet" go vet ./...
step "types on other systems" go run .ci/types.go windows darwin freebsd plan9
# Comparisons with the reference run without the race detector, because they use only
# one goroutine and would take a minute each.
step "tests, race detector" go test -race -skip '^TestReference' $others
step "tests" go test . ./internal/...
step "tests, unknown net/http" env MUXMASTER_FALLBACK=1 go test -skip 'Alloc|BytesPerValue|KeptRequests' .
step "tests, without unsafe" go test -tags muxmaster_safe . ./internal/... ./examples/...
[[ -z $short ]] || finish

step "tests of servers, race detector" go test -race $servers
step "tests, engine without raw system calls" go test -tags muxmaster_portable ./engine
step "workflow files" .ci/lint workflows
step "tests, next Go" env GOTOOLCHAIN=go1.27.1 go test ./...
step "tests, next Go, without unsafe" env GOTOOLCHAIN=go1.27.1 go test -tags muxmaster_safe .
modules=$(git ls-files '*/go.mod' | grep -v testdata)
for module in $modules; do
	step "module ${module%/go.mod}" nested "${module%/go.mod}"
done
step "other programs on the router" interop/programs/run.sh
step "fresh clone, install from a tag" go run .ci/modules.go
step "fuzzing, two seconds a target" .ci/fuzz 2s
step "benchmarks run" go test -run '^$' -bench . -benchtime 100x .
step "showdown runs" go -C bench run ./cmd/showdown -quick -only 'serving/(Param1|GitHub)' -for 20s -run "$work/showdown.json"
finish
