#!/usr/bin/env bash
# Runs every test of every module: under 20 minutes on two cores. Ends at the first
# failure and says which step it was.
#
#	./test.sh          everything
#	./test.sh -short   the root module, in each way of delivering path values
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
# root module by its go.work. Libraries run with the race detector; vet gets the
# same flag, so that they are compiled once.
nested() (
	cd "$1"
	flags=()
	[[ $1 != interop ]] || flags=(-race)
	go build ./... && go vet "${flags[@]}" ./... && go test -p 1 "${flags[@]}" ./...
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step "gofmt" formatted
step "vet" go vet ./...
# One package at a time: some put servers under load and attack them.
step "tests, race detector" go test -p 1 -race ./...
step "tests, unknown net/http" env MUXMASTER_FALLBACK=1 go test -skip 'Alloc|BytesPerValue|KeptRequests|FastPathValues' .
step "tests, without unsafe" go test -tags muxmaster_safe . ./internal/... ./examples/...
step "tests, engine without raw system calls" go test -tags muxmaster_portable ./engine
[[ -z $short ]] || finish

step "workflow files" .ci/lint workflows
for os in windows darwin freebsd plan9; do
	step "vet for $os" env GOOS=$os go vet ./...
done
step "tests, next Go" env GOTOOLCHAIN=go1.27.1 go test -p 1 ./...
step "tests, next Go, without unsafe" env GOTOOLCHAIN=go1.27.1 go test -tags muxmaster_safe .
modules=$(git ls-files '*/go.mod' | grep -v testdata)
for module in $modules; do
	step "module ${module%/go.mod}" nested "${module%/go.mod}"
done
step "other programs on the router" interop/programs/run.sh
step "fresh clone, install from a tag" go run .ci/modules.go
step "fuzzing, ten seconds a target" .ci/fuzz 10s
step "benchmarks run" go test -run '^$' -bench . -benchtime 100x .
step "showdown runs" go -C bench run ./cmd/showdown -quick -only 'serving/(Param1|GitHub)' -for 1m -run "$work/showdown.json"
finish
