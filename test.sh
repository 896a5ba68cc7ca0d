#!/usr/bin/env bash
# Runs the tests, with Go, git and a C compiler:
#
#	./test.sh         the tests of the packages, commands, examples and documents, with
#	                  and without the race detector and unsafe; less than 8 minutes
#	./test.sh -all    also the tests with other programs, such as proxies and browsers,
#	                  with the next Go release, and of the benchmarks; fuzzing
#
# It reports all failures, and at the end what was left out. The last line says how
# many tests passed and failed. .ci/run installs what -all needs.
set -euo pipefail
cd "$(dirname "$0")"

# To compile each package only once, all tests use the same flags as the installation
# of the nested modules from a tag, which needs -trimpath. On a busy machine, the
# packages with most tests need more than the default timeout of 10 minutes.
export GOFLAGS="${GOFLAGS:-} -trimpath -timeout=30m"
exec go run .ci/test.go "$@"
