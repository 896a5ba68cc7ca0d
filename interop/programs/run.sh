#!/usr/bin/env bash
# Runs the test suites of three open-source programs with this router instead of
# theirs, and the conformance tests of Connect, gRPC and gRPC-Web with the engine. It
# downloads the programs as Go modules and changes them in a temporary directory.
#
#	./run.sh               all of them
#	./run.sh go-httpbin    one
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
# engine serves connect-go, also with Recycle, and the ServeHTTP of grpc-go.
connectConformance() {
	fetch connect-conformance connectrpc.com/conformance@v1.0.7
	swap '/^type stdHTTPServer/,/^\/\/ Creates an HTTP/s/s\.svr\.(Serve|ServeTLS|Shutdown|Close)\(/s.engine.\1(/
		s/^\tsvr \*http\.Server$/&\n\tengine *engine.Server/; s/stdHTTPServer\{svr: (\w+),/&\n\t\tengine: onEngine(\1),/
		s|^\t"connectrpc.com/conformance/internal"$|&\n\t"'$router'/engine"|' internal/app/referenceserver/server.go
	swap 's/ server\.Serve\(/ onEngine(server).Serve(/; s/httpServer\.Serve\(/onEngine(grpcWebServer).Serve(/' internal/app/grpcserver/server.go
	cat >internal/app/referenceserver/engine.go <<-END
		package referenceserver

		import (
			"net/http"
			"os"

			"$router/engine"
		)

		func onEngine(srv *http.Server) *engine.Server {
			s := engine.New(srv)
			s.Recycle = os.Getenv("RECYCLE") != ""
			return s
		}
	END
	cat >internal/app/grpcserver/engine.go <<-END
		package grpcserver

		import (
			"net/http"

			"$router/engine"
		)

		func onEngine(h http.Handler) *engine.Server {
			srv := &http.Server{Handler: h, Protocols: new(http.Protocols)}
			srv.Protocols.SetHTTP1(true)
			srv.Protocols.SetUnencryptedHTTP2(true)
			return engine.New(srv)
		}
	END
	swap /HTTP_VERSION_3/d testing/reference-impls-config.yaml
	# grpc-go's ServeHTTP sends no status for these, also with net/http.
	echo 'gRPC Unexpected Requests/**/unexpected-codec' >>testing/grpcserver-known-failing.txt
	printf 'Timeouts/**/TLS:false/%s\n' unary client-stream server-stream bidi-stream/full-duplex >flaky.txt
	go build -o . ./cmd/connectconformance ./cmd/referenceserver ./cmd/grpcserver
	run() {
		local command=(./connectconformance --mode server --conf "testing/$1.yaml" --known-failing "@testing/$2-known-failing.txt" --known-flaky @flaky.txt -- "./${3:-$2}")
		"${command[@]}" || "${command[@]}"
	}
	run reference-impls-config referenceserver
	RECYCLE=1 run reference-impls-config referenceserver
	run grpc-impls-config grpcserver
	run grpc-web-server-impl-config grpcserver-web grpcserver
}

all=(goHTTPBin act stepCA connectConformance)
declare -A functions=([go-httpbin]=goHTTPBin [act]=act [step-ca]=stepCA [connect-conformance]=connectConformance)
if [[ $# -gt 0 ]]; then
	all=()
	for name; do all+=("${functions[$name]:?there is no such program}"); done
fi
for program in "${all[@]}"; do
	echo "== $program"
	("$program")
done
