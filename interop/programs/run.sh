#!/usr/bin/env bash
# Runs the test suites of open-source programs with this router instead of theirs, or
# with the engine, and suites that test servers. It downloads the programs as Go
# modules and changes them in a temporary directory.
#
#	./run.sh                          those that CI runs
#	./run.sh go-httpbin               one
#	./run.sh -update connect-conformance    also with package server and net/http, and
#	                                  writes the results to docs/conformance.md
set -euo pipefail
cd "$(dirname "$0")"

root=$(cd ../.. && pwd)
router=github.com/seed-1954dcaa/muxmaster
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
export GOWORK=off GOFLAGS='-mod=mod -trimpath'

# fetch copies a module to $work/NAME and makes it use this checkout.
fetch() {
	local name=$1 module=$2 dir
	cd "$work"
	go mod download "$module" || sleep 10 # the download may have failed
	dir=$(go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	cp -r "$dir" "$work/$name"
	chmod -R u+w "$work/$name"
	cd "$work/$name"
	go mod edit -go=1.26 -require="$router@v0.2.0" -replace="$router=$root"
}

# swap edits files in place. It fails if a file doesn't change.
swap() {
	local expression=$1 file before
	shift
	for file; do
		before=$(cksum "$file")
		sed -E -i "$expression" "$file"
		[[ $(cksum "$file") != "$before" ]] || { echo "$file: nothing to change for $expression" >&2; return 1; }
	done
}

# row writes a row of docs/conformance.md, with the figures of each server in cells.
declare -A cells
row() { # SUITE VERSION CASES EXCEPTIONS
	echo "$1 $2: of $3, $(for server in "${servers[@]}"; do echo -n "$server ${cells[$server]} "; done)"
	$update || return 0
	python3 - "$root/docs/conformance.md" "| $1 |" "| $1 | $2 | $3 | ${cells[engine]} | ${cells[recycle]} | ${cells[server]} | ${cells[net/http]} | $4 | $suite | $(date +%F) |" <<-'END'
		import sys
		file, start, row = sys.argv[1:]
		before, rule, rows = open(file).read().partition("|---|---|---:|---:|---:|---:|---:|---|---|---|\n")
		rows = [r for r in rows.splitlines() if not r.startswith(start)] + [row] # the table ends the file
		open(file, "w").write(before + rule + "\n".join(sorted(rows, key=str.lower)) + "\n")
	END
}

# tests runs go test, and again if it fails, because some tests depend on timing.
tests() { go test "$@" || go test "$@"; }

# http.ServeMux: one call changes.
goHTTPBin() {
	fetch go-httpbin github.com/mccutchen/go-httpbin/v2@v2.26.0
	swap 's|http\.NewServeMux\(\)|muxmaster.New()|; s|^import \($|&\n\t"'$router'"|' httpbin/httpbin.go
	tests ./...
}

# httprouter, in its cache server: names of types and methods change.
act() {
	fetch act github.com/nektos/act@v0.2.70
	swap 's|"github.com/julienschmidt/httprouter"|"'$router'"|
		s|httprouter\.New|muxmaster.New|; s|\*httprouter\.Router|*muxmaster.Mux|
		s|httprouter\.Handle\b|muxmaster.FastHandler|g; s|httprouter\.Params|muxmaster.Params|g
		s|params\.ByName|params.Get|; s|router\.(GET\|POST\|PATCH)\(|router.\1Fast(|' pkg/artifactcache/handler.go
	tests ./pkg/artifactcache
}

# chi: path values are read from the request, and an adapter with one method
# implements the program's interface for routers.
stepCA() {
	fetch step-ca github.com/smallstep/certificates@v0.28.3
	local files
	files=$(grep -rl 'chi\.URLParam(' --include='*.go' --exclude='*_test.go' .)
	swap 's|chi\.URLParam\(r, |r.PathValue(|g; /"github.com\/go-chi\/chi\/v5"/d' $files
	swap 's|"github.com/go-chi/chi/v5"$|"'$router'"|; s|chi\.NewRouter|muxmaster.New|; s|insecureMux\.Get\(|insecureMux.GET(|
		s|api\.Route\(mux\)|api.Route(router{mux})|; s|func\(r chi\.Router\) \{|func(g *muxmaster.Group) {\n\t\tr := router{g}|
		/[mM]ux\.Use\(middleware\.GetHead\)/d; /^func dumpRoutes/,/^}/d' ca/ca.go
	grep -q 'middleware\.' ca/ca.go || sed -i '/"github.com\/go-chi\/chi\/v5\/middleware"/d' ca/ca.go
	cat >ca/router.go <<-'END'
		package ca

		import "net/http"

		// router has the method that api.Router asks for.
		type router struct{ to interface{ Handle(string, http.Handler) } }

		func (r router) MethodFunc(method, pattern string, h http.HandlerFunc) {
			r.to.Handle(method+" "+pattern, h)
		}
	END
	tests ./ca
}

# net/http, in the servers of the conformance tests of Connect, gRPC and gRPC-Web: the
# engine serves connect-go, and the ServeHTTP of grpc-go, also with Recycle.
connectConformance() {
	fetch connect-conformance connectrpc.com/conformance@v1.0.7
	swap '/^type stdHTTPServer/,/^\/\/ Creates an HTTP/s/s\.svr\.(Serve|ServeTLS|Shutdown|Close)\(/s.under.\1(/
		s/^\tsvr \*http\.Server$/&\n\tunder servers.Server/; s/stdHTTPServer\{svr: (\w+),/&\n\t\tunder: servers.New(os.Getenv("SERVER"), \1),/
		s|^\t"connectrpc.com/conformance/internal"$|&\n\t"connectrpc.com/conformance/internal/servers"|' internal/app/referenceserver/server.go
	swap 's/ server\.Serve\(/ on(server).Serve(/; s/httpServer\.Serve\(/on(grpcWebServer).Serve(/' internal/app/grpcserver/server.go
	cp -r "$root/interop/programs/servers" internal/
	cat >internal/app/grpcserver/on.go <<-'END'
		package grpcserver

		import (
			"net/http"
			"os"

			"connectrpc.com/conformance/internal/servers"
		)

		func on(h http.Handler) servers.Server {
			srv := &http.Server{Handler: h, Protocols: new(http.Protocols)}
			srv.Protocols.SetHTTP1(true)
			srv.Protocols.SetUnencryptedHTTP2(true)
			return servers.New(os.Getenv("SERVER"), srv)
		}
	END
	swap /HTTP_VERSION_3/d testing/reference-impls-config.yaml
	# grpc-go's ServeHTTP sends no status for these, also with net/http.
	echo 'gRPC Unexpected Requests/**/unexpected-codec' >>testing/grpcserver-known-failing.txt
	printf 'Timeouts/**/TLS:false/%s\n' unary client-stream server-stream bidi-stream/full-duplex >flaky.txt
	go build -o . ./cmd/connectconformance ./cmd/referenceserver ./cmd/grpcserver
	conform() { # NAME CONFIG LIST-OF-FAILING SERVER EXCEPTIONS
		local total server command=(./connectconformance --mode server --conf "testing/$2.yaml" --known-failing "@testing/$3-known-failing.txt" --known-flaky @flaky.txt -- "./$4")
		for server in "${servers[@]}"; do
			SERVER=$server "${command[@]}" | tee log || SERVER=$server "${command[@]}" | tee log
			total=$(sed -n 's/^Total cases: //p' log)
			cells[$server]=$(sed -nE 's/^([0-9]+) passed.*/\1/p' log)
		done
		row "Connect conformance, $1" v1.0.7 "$total" "$5"
	}
	local exceptions='calls with no request or with two that must have one: grpc-go says INTERNAL instead of UNIMPLEMENTED; calls with an unknown codec: its ServeHTTP sends no status'
	conform connect-go reference-impls-config referenceserver referenceserver none
	conform grpc-go grpc-impls-config grpcserver grpcserver "$exceptions"
	conform 'grpc-go, gRPC-Web' grpc-web-server-impl-config grpcserver-web grpcserver "$exceptions"
}

update=false servers=(engine recycle)
if [[ ${1-} == -update ]]; then
	update=true servers+=(server net/http)
	shift
fi
[[ $# -gt 0 ]] || set -- go-httpbin act step-ca connect-conformance
declare -A functions=([go-httpbin]=goHTTPBin [act]=act [step-ca]=stepCA [connect-conformance]=connectConformance)
for suite; do
	echo "== $suite"
	("${functions[$suite]:?there is no such suite}")
done
