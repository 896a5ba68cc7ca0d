#!/usr/bin/env bash
# Runs every test of every module: under 20 minutes on two cores. Ends at the first
# failure and says which step it was.
#
#	./test.sh          everything
#	./test.sh -short   the root module but for its servers, in each way of delivering
#	                   path values: under two minutes once everything is compiled
set -euo pipefail
cd "$(dirname "$0")"

short=${1:-}
if [[ $# -gt 1 || ( -n $short && $short != -short ) ]]; then
	echo "usage: ./test.sh [-short]" >&2
	exit 2
fi

summary=()

# step runs a command and remembers how long it took.
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
	printf '%5d s  in all\n\nAll tests passed.\n' "$SECONDS"
	exit 0
}

formatted() {
	local files
	files=$(git ls-files -z '*.go' | xargs -0 gofmt -l) || return
	[[ -z $files ]] || { printf 'gofmt these:\n%s\n' "$files"; return 1; }
}

# nested tests a module with the versions of its own go.mod, and this checkout's
# root module by its go.work. Each library is compiled once: vet gets the same flags
# as the tests, and what is later installed from a tag is found in the cache, thanks
# to -trimpath. The libraries of interop run with the race detector.
nested() (
	cd "$1"
	local flags=(-trimpath)
	[[ $1 != interop ]] || flags=(-race)
	go vet "${flags[@]}" ./... && go test "${flags[@]}" ./...
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Tests of these packages put servers under load and attack them: with the race
# detector, which makes that ten times as much work, nothing runs beside them.
servers='./server ./engine'
others=$(go list ./... | grep -vE '/(server|engine)$')

step "gofmt" formatted
step "vet" go vet ./...
step "types on other systems" go run .ci/types.go windows darwin freebsd plan9
# Comparisons with the reference compute, in one goroutine, for a minute each with
# the race detector: they run without it.
step "tests, race detector" go test -race -skip '^TestReference' $others
step "tests" go test . ./internal/...
step "tests, unknown net/http" env MUXMASTER_FALLBACK=1 go test -skip 'Alloc|BytesPerValue|KeptRequests|FastPathValues' .
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
