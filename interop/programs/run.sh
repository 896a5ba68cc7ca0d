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
tools=${XDG_CACHE_HOME:-$HOME/.cache}/muxmaster-suites
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
	echo "$1 $2: of $3, $(for server in "${servers[@]}"; do echo -n "$server ${cells[$server]:-–} "; done)"
	$update || return 0
	python3 - "$root/docs/conformance.md" "| $1 |" "| $1 | $2 | $3 | ${cells[engine]:-–} | ${cells[recycle]:-–} | ${cells[server]:-–} | ${cells[net/http]:-–} | $4 | $suite | $(date +%F) |" <<-'END'
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

# The tests of programs that use net/http, with the engine in each http.Server, by the
# overlay of net/http's own tests.
engine() {
	(cd "$root/engine" && GOFLAGS='' go test -run '^TestNetHTTP$' . -nethttp "$work")
	local name module packages server options
	local -A exceptions=([go-httpbin]=none [distribution]="the test of its shutdown fails with net/http, too; with Recycle, one reads a header after its handler has returned; the one that deletes blobs sometimes reuses the file of a request that is still sent, as the engine reads on after an early response (RFC 9112, section 9.6)")
	while read -r name module packages; do
		fetch "$name" "$module"
		go list -test -f '{{if .ForTest}}{{else if or .TestGoFiles .XTestGoFiles}}{{.Dir}} {{.Name}}{{end}}' $packages | while read -r dir package; do
			printf 'package %s\n\nimport _ "%s/engine"\n' "$package" "$router" >"$dir/zz_engine_test.go"
		done
		for server in net/http engine recycle; do
			options=(-overlay "$work/overlay.json")
			[[ $server != net/http ]] || options=()
			ENGINE_RECYCLE=$([[ $server != recycle ]] || echo 1) go test -count=1 -json "${options[@]}" $packages >log || true
			cells[$server]=$(grep -c '"Action":"pass".*"Test":"[^/]*"' log || true)
			echo "$name, $server: $(sed -nE 's/.*"Action":"fail".*"Test":"([^"]*)".*/\1/p' log | tr '\n' ' ')"
		done
		row "Tests of $name, with the engine in each http.Server" "${module#*@}" "$(grep -cE '"Action":"(pass|fail)".*"Test":"[^/]*"' log)" "${exceptions[$name]}"
	done <<-END
		go-httpbin github.com/mccutchen/go-httpbin/v2@v2.26.0 ./...
		distribution github.com/distribution/distribution/v3@v3.0.0 ./registry ./registry/handlers ./registry/proxy ./registry/auth/... ./registry/api/... ./notifications ./internal/client/...
	END
}

# pythonBin sets bin to that of an environment with the packages.
pythonBin() { # NAME==VERSION...
	bin=$tools/$1/bin
	[[ -e $bin/.installed ]] && return
	"${python:-python3}" -m venv "$tools/$1"
	"$bin/pip" install --quiet "$@"
	touch "$bin/.installed"
}

# node installs packages and sets modules to their directory.
node() { # NAME@VERSION...
	modules=$tools/${1//\//-}/node_modules
	[[ -e $modules/.installed ]] && return
	mkdir -p "$modules"
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "${modules%/*}" "$@"
	touch "$modules/.installed"
}

# serve starts testserver with the flags, and sets addr.
serve() {
	local out=$work/addr.$RANDOM$RANDOM
	[[ -x $work/testserver ]] || (cd "$root/interop" && env -u GOWORK -u GOFLAGS go build -o "$work/testserver" ./programs/testserver)
	"$work/testserver" "$@" >"$out" 2>/dev/null &
	until [[ -s $out ]]; do sleep 0.1; done
	addr=$(head -1 "$out")
}
# quickstart starts the example, and sets addr.
quickstart() {
	(cd "$root" && go build -o "$work/quickstart" ./examples/quickstart)
	(cd "$work" && exec ./quickstart -addr localhost:0 >quickstart.log 2>&1) &
	until addr=$(sed -nE 's|^The page is http://([^,]*),.*|\1|p' "$work/quickstart.log") && [[ -n $addr ]]; do sleep 0.1; done
}
stop() { kill %% && wait %% || true; } 2>/dev/null

# certificate makes cert.pem, with its key, for localhost, and ca.pem.
certificate() (
	cd "$work"
	local key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
	openssl req -x509 "${key[@]}" -days 90 -keyout ca.key -out ca.pem -subj '/CN=a test' -addext keyUsage=critical,keyCertSign
	openssl req "${key[@]}" -keyout key.pem -out request.pem -subj /CN=localhost
	printf '%s\n' basicConstraints=CA:FALSE subjectAltName=DNS:localhost,IP:127.0.0.1 extendedKeyUsage=serverAuth authorityKeyIdentifier=keyid >extensions
	openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 90 -extfile extensions -out leaf.pem
	cat leaf.pem key.pem >cert.pem
) 2>/dev/null

# The echo servers of two WebSocket libraries. Each case of the groups 12 and 13
# sends 1,000 messages; of those that differ only in the size, one runs.
autobahn() {
	local dir=$tools/autobahntestsuite-0.8.2 python2=${PYTHON2:-python2} server library
	[[ -e $dir/zope/__init__.py ]] || {
		"$python2" -m pip install --quiet --target "$dir" autobahntestsuite==0.8.2
		touch "$dir/zope/__init__.py"
	}
	cd "$work"
	declare -A failed
	for server in "${servers[@]}"; do
		serve -server "$server"
		cat >spec.json <<-END
			{"outdir": "$work/${server/\//}", "exclude-cases": [], "exclude-agent-cases": {},
			"servers": [{"agent": "coder", "url": "ws://$addr/coder"}, {"agent": "gorilla", "url": "ws://$addr/gorilla"}],
			"cases": ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "9.*", "10.*", "12.1.1", "12.2.1", "12.3.1", "12.4.1", "12.5.1",
				"13.1.1", "13.2.1", "13.3.1", "13.4.1", "13.5.1", "13.6.1", "13.7.1"]}
		END
		PYTHONPATH=$dir "$python2" -c 'from autobahntestsuite.wstest import run; import sys; sys.argv = ["wstest", "-m", "fuzzingclient", "-s", "spec.json"]; run()' >log
		stop
	done
	for library in coder gorilla; do
		local total=0 all
		for server in "${servers[@]}"; do
			all=$(python3 - "$work/${server/\//}/index.json" $library <<-'END'
				import json, sys
				cases = json.load(open(sys.argv[1]))[sys.argv[2]]
				bad = [c for c, r in cases.items() if r["behavior"] not in ("OK", "NON-STRICT", "INFORMATIONAL")]
				print(len(cases), len(cases) - len(bad), *bad)
			END
			)
			echo "$library $server: $all"
			read -r total cells[$server] _ <<<"$all"
		done
		local exceptions=none
		[[ $library == gorilla ]] || exceptions='the library ignores the reason of a close frame (7.5.1), and two parameters of permessage-deflate (13.3, 13.5)'
		row "Autobahn, $library/websocket" 0.8.2 "$total" "$exceptions"
	done
}

# The settings of TLS, by Mozilla's intermediate profile.
tls() {
	pythonBin sslyze==6.3.1
	certificate
	local server
	for server in "${servers[@]}" server; do
		serve -server "$server" -cert "$work/cert.pem"
		"$bin/sslyze" --certinfo_ca_file "$work/ca.pem" --mozilla_config=intermediate "localhost:${addr##*:}" | tee "$work/log" | sed -n '/^ *Checking/,$p' || true
		stop
		cells[$server]=$(grep -c ' OK - Compliant' "$work/log" || true)
	done
	[[ ${cells[server]} == 1 ]]
	row 'sslyze, Mozilla intermediate' 6.3.1 1 "the defaults of crypto/tls, which the engine doesn't change, allow CBC and P-521; package server has others"
}

# OpenAPI documents: of a service with all kinds of routes (3.2), quickstart's, and
# that of the tutorial's program. The last two are compared with their responses.
openapi() {
	cd "$work"
	serve -server engine -openapi
	curl -s "http://$addr/debug/routes/openapi.json" >"$work/3.2.json"
	stop
	quickstart
	curl -s "http://$addr/debug/routes/openapi.json" >"$work/3.1.json"
	pythonBin schemathesis==4.32.5
	schemathesis() { # NAME EXCEPTIONS ARGUMENT...
		local passes=true
		"$bin/schemathesis" run --generation-deterministic "${@:3}" | tee "$work/log" || passes=false
		stop
		$passes
		cells=([server]=$(sed -nE 's/^  ([0-9]+) generated, ([0-9]+) (passed|found).*/\2/p' "$work/log"))
		row "Schemathesis, $1" 4.32.5 "$(sed -nE 's/^  ([0-9]+) generated.*/\1/p' "$work/log")" "$2"
	}
	schemathesis quickstart 'not tested: /events, which never ends' "http://$addr/debug/routes/openapi.json" --exclude-path /events
	(cd "$root" && GOFLAGS='' go test -run '^TestDocsTutorial$' ./docs -tutorial "$work/tasks")
	addr=localhost:$(python3 -c 'import socket; print(socket.create_server(("localhost", 0)).getsockname()[1])')
	PASSWORD=secret "$work/tasks" -addr "$addr" 2>/dev/null &
	until curl -s "http://$addr/livez" >/dev/null; do sleep 0.1; done
	schemathesis 'the program of tutorial.md' none "$root/interop/openapi/tasks.json" --url "http://$addr" --auth ada:secret
	pythonBin openapi-spec-validator==0.9.0
	"$bin/openapi-spec-validator" "$work/3.1.json" "$work/3.2.json"
	node @redocly/cli@2.77.0
	"$modules/.bin/redocly" lint --extends=spec "$work/3.1.json"
	"$modules/.bin/redocly" lint --extends=spec --format=json "$work/3.2.json" >"$work/log" || true
	local parameter='one in 3.2, as it knows parameters with ASCII names only'
	python3 -c 'import json, sys; p = json.load(open(sys.argv[1]))["problems"]; assert [x["ruleId"] for x in p] == ["path-parameters-defined"], p' "$work/log"
	node @stoplight/spectral-cli@6.16.3
	echo 'extends: ["spectral:oas"]' >"$work/ruleset.yaml"
	"$modules/.bin/spectral" lint -q -F error -r "$work/ruleset.yaml" "$work/3.1.json" >/dev/null
	"$modules/.bin/spectral" lint -q -f json -r "$work/ruleset.yaml" "$work/3.2.json" >"$work/log" || true
	python3 -c 'import json, sys; p = [x["code"] for x in json.load(open(sys.argv[1])) if x["severity"] == 0]; assert set(p) == {"oas3-server-variables", "path-params"}, p' "$work/log"
	cells=() ; row 'openapi-spec-validator' 0.9.0 2 none
	row 'Redocly CLI, rules of the specification' 2.77.0 2 "errors: $parameter"
	row 'Spectral' 6.16.3 2 "errors: $parameter, and one about a server URL without a scheme, which the specification allows"
}

# Responses of ServeFiles and ServeSPA, also with compressed files, and of quickstart.
redbot() {
	pythonBin redbot==2.7.1
	mkdir -p "$work/files"
	cd "$work"
	seq 3000 | tee files/plain.txt >files/app.3f2a9c1b.js
	gzip --keep files/app.3f2a9c1b.js
	(echo '<!doctype html><title>Files</title>' && seq 300) >files/index.html
	local server path
	look() { # URL...: prints bad notes, and the number of those that are good
		for path; do
			"$bin/redbot" -o har "$path" >har
			python3 - "$path" <<-'END'
				import json, sys
				notes = json.load(open("har"))["log"]["entries"][0]["_red_messages"]
				bad = [n["summary"] for n in notes if n["level"] == "BAD"]
				print(sys.argv[1], *bad or ["ok"])
			END
		done | tee log
		[[ $(grep -c ' ok$' log) -gt 0 ]]
	}
	for server in "${servers[@]}"; do
		serve -server "$server" -files files
		look "http://$addr"/{files/{,plain.txt,app.3f2a9c1b.js,none},app,app/{app.3f2a9c1b.js,page}}
		stop
		cells[$server]=$(grep -c ' ok$' log)
	done
	row 'REDbot, ServeFiles and ServeSPA' 2.7.1 "$(wc -l <log)" none
	quickstart
	look "http://$addr"/{,api/notes,api/notes/1,static/style.css,debug/routes/openapi.json}
	stop
	cells=([server]=$(grep -c ' ok$' log))
	row 'REDbot, quickstart' 2.7.1 "$(wc -l <log)" none
}

# Pages in Chromium: that of quickstart, that of the routes, and some of the site.
lighthouse() {
	node lighthouse@12.8.2
	cd "$work"
	look() { # NAME PATH
		CHROME_PATH=${CHROME_PATH:-$(command -v chromium)} "$modules/.bin/lighthouse" "http://$addr/$2" --quiet --chrome-flags='--headless=new --no-sandbox' \
			--output=json --output-path=report.json --only-categories=accessibility,best-practices,seo
		cells=([server]=$(python3 -c 'import json; print(*[round(100 * c["score"]) for c in json.load(open("report.json"))["categories"].values()])'))
		python3 -c 'import json; [print(a["id"], "-", a["title"]) for a in json.load(open("report.json"))["audits"].values() if a["score"] is not None and a["score"] < 1]'
		row "Lighthouse, $1" 12.8.2 '3 × 100' 'accessibility, best practices, SEO; not performance, which depends on the machine'
	}
	local page
	quickstart
	for page in '' debug/routes/; do
		look "/$page of quickstart" "$page"
	done
	stop
	"$root/.ci/site" build "$work/site"
	serve -server server -files site
	for page in '' tutorial/ playground/; do
		look "/$page of the site" "files/$page"
	done
	stop
}

# The pages of routes and of quickstart, and some of the site, with all rules of axe, wide and narrow, light
# and dark. Also part of the tests of interop/browser.
axe() {
	cd "$root/interop/browser"
	env -u GOWORK -u GOFLAGS go test -count=1 -run '^(TestAccessible|TestPlayground|TestQuickstart|TestSite)$' -v . | grep ' axe: ' | tee "$work/log"
	local page version passes of
	version=$(sed -nE 's/.*"axe-core": "(.*)".*/\1/p' package.json)
	for page in routes quickstart 'site, /' 'site, /tutorial/' 'site, /playground/'; do
		read -r passes of < <(sed -nE "s|.* axe: $page, [0-9]+, .*: (.*) of (.*) rules|\1 \2|p" "$work/log" | awk '{ a += $1; b += $2 } END { print a, b }')
		cells=([server]=$passes)
		row "axe, $page" "$version" "$of" none
	done
}

# Exchanges that clients must understand: a refused upload, 100-continue, trailers,
# 103, 10,000 requests over one connection, and a shutdown while a response is sent.
clients() {
	local clients=$root/interop/programs/clients server
	pythonBin niquests==3.21.2 'httpx[http2]==0.28.1'
	node undici@"$undici"
	cp -r "$clients" "$work/"
	ln -s "$modules" "$work/clients/node_modules"
	(cd "$work/clients/reqwest" && CARGO_TARGET_DIR=$tools/reqwest cargo build --quiet --release)
	certificate
	exchanges() { # NAME VERSION EXCEPTIONS COMMAND...
		local name=$1 version=$2 exceptions=$3 scheme=http flags=() total
		shift 3
		[[ $name == *HTTP/1* ]] || scheme=https flags=(-cert "$work/cert.pem")
		[[ $name != *HTTP/3* ]] || flags+=(-http3)
		for server in "${servers[@]}"; do
			serve -server "$server" "${flags[@]}"
			echo "$name, $server:"
			(cd "$work/clients" && "${@/URL/$scheme://$addr}") 2>&1 | tee "$work/log" || true
			stop
			total=$(grep -cE ' ok$|: got' "$work/log")
			cells[$server]=$(grep -c ' ok$' "$work/log")
		done
		row "$name" "$version" "$total" "$exceptions"
	}
	local py=$bin/python curl
	curl=$(curl --version | sed -nE '1s/^curl (\S+).*/\1/p')
	exchanges 'curl, HTTP/1.1' "$curl" none bash curl.sh URL --http1.1
	exchanges 'curl, HTTP/2' "$curl" 'it writes no trailers; a refused upload sometimes fails with net/http, also in package server' bash curl.sh URL --http2
	exchanges 'undici, HTTP/1.1' "$undici" none command node undici.mjs URL 1
	exchanges 'undici, HTTP/2' "$undici" 'it passes on neither trailers nor 103, and a GOAWAY ends its streams; a refused upload fails with net/http, also in package server' command node undici.mjs URL 2
	exchanges 'httpx, HTTP/1.1' 0.28.1 none "$py" clients.py URL httpx 1
	exchanges 'httpx, HTTP/2' 0.28.1 'it waits to send the rest of a refused upload, and a GOAWAY ends its streams' "$py" clients.py URL httpx 2
	exchanges 'niquests, HTTP/1.1' 3.21.2 none "$py" clients.py URL niquests 1
	exchanges 'niquests, HTTP/2' 3.21.2 none "$py" clients.py URL niquests 2 "$work/ca.pem"
	local java
	java=$(java -version 2>&1 | sed -nE '1s/.*"(.*)".*/\1/p')
	exchanges 'Java HttpClient, HTTP/1.1' "$java" none java Client.java URL 1
	exchanges 'Java HttpClient, HTTP/2' "$java" 'it waits to send the rest of a refused upload, and a GOAWAY ends its streams' java Client.java URL 2
	exchanges 'reqwest, HTTP/1.1' 0.12.28 none "$tools/reqwest/release/exchanges" URL 1
	exchanges 'reqwest, HTTP/2' 0.12.28 none "$tools/reqwest/release/exchanges" URL 2
	servers=(server) cells=() # quic-go serves HTTP/3 beside it
	exchanges 'niquests, HTTP/3' 3.21.2 none "$py" clients.py URL niquests 3 "$work/ca.pem"
}
undici=7.30.2

# The requests of engine/conformance_test.go, sent to other servers.
conformance() {
	local flags=() port
	pids=''
	trap 'kill $pids' EXIT # of the subshell
	! $update || flags=(-update)
	(cd "$root/interop" && env -u GOWORK -u GOFLAGS go build -o "$work/peers" ./programs/peers)
	(cd "$root/bench/load/hyper" && CARGO_TARGET_DIR=$tools/hyper cargo build --quiet --release)
	cat >"$work/nginx.conf" <<-END
		pid nginx.pid;
		daemon off;
		error_log stderr crit;
		events {}
		http {
			access_log off;
			client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
			server {
				listen 127.0.0.1:7104;
				server_name h;
				location / {
					proxy_pass http://127.0.0.1:7102;
					proxy_http_version 1.1;
					proxy_set_header Host \$host;
					proxy_set_header Connection "";
				}
			}
		}
	END
	"$work/peers" 127.0.0.1:7101 127.0.0.1:7102 2>/dev/null & pids+=" $!"
	"$tools/hyper/release/hyper-server" 127.0.0.1:7103 conform & pids+=" $!"
	nginx -p "$work" -c nginx.conf -e stderr & pids+=" $!"
	for port in 7101 7102 7103 7104; do
		until curl --silent --output "$work/log" "127.0.0.1:$port"; do sleep 0.1; done
	done
	go -C "$root" test ./engine -run "^TestConformance\$" -v "${flags[@]}" -peers "$(cd "$root/interop" && env -u GOWORK -u GOFLAGS go list -m -f "{{.Version}}" github.com/valyala/fasthttp | sed s/v/fasthttp\ /)=127.0.0.1:7101,$(
		sed -nE 's/^hyper = .*"=([^"]*)".*/hyper \1/p' "$root/bench/load/hyper/Cargo.toml")=127.0.0.1:7103,$(nginx -v 2>&1 | sed 's|.*nginx/|nginx |')=127.0.0.1:7104"
}

update=false servers=(engine recycle)
if [[ ${1-} == -update ]]; then
	update=true servers+=(server net/http)
	shift
fi
[[ $# -gt 0 ]] || set -- go-httpbin act step-ca connect-conformance openapi
declare -A functions=([go-httpbin]=goHTTPBin [act]=act [step-ca]=stepCA [connect-conformance]=connectConformance
	[engine]=engine [autobahn]=autobahn [tls]=tls [openapi]=openapi [conformance]=conformance [clients]=clients [redbot]=redbot [lighthouse]=lighthouse [axe]=axe)
for suite; do
	echo "== $suite"
	("${functions[$suite]:?there is no such suite}")
done
