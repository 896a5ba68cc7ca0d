# The exchanges with curl: curl.sh URL --http1.1 or --http2
url=$1/exchange version=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
head -c 20000000 /dev/zero >"$dir/body"
ask() { curl --silent --insecure "$version" "$@" || echo " curl: exit status $?"; }
check() { [[ $2 == "$3" ]] && echo "$1 ok" || echo "$1: got ${2:0:200}, want $3"; }

check refused "$(ask --data-binary "@$dir/body" --output /dev/null --write-out '%{response_code}' "$url/refuse")" 413
ask --data-binary "@$dir/body" --header 'Expect: 100-continue' --dump-header "$dir/head" --output "$dir/echo" "$url/echo"
check continue "$(grep -c ' 100' "$dir/head") $(cksum <"$dir/echo")" "1 $(cksum <"$dir/body")"
ask --dump-header "$dir/head" --output /dev/null "$url/trailers"
check trailers "$(grep -i '^x-sum: ' "$dir/head" | tr -d '\r')" "$(grep -io '^x-sum: ' "$dir/head")7"
check hints "$(ask --include "$url/hints" | tr -d '\r' | grep -E '^HTTP|^[lL]ink|^page' | cut -d ' ' -f 1,2 | tr '\n' ' ' | tr L l)" "HTTP/${version#--http} 103 link: </style.css>; HTTP/${version#--http} 200 page "
check 'one connection' "$(ask "$url/count?[1-10000]" | tail -c 5)" 10000
check shutdown "$(ask "$url/shutdown")" 'the last response'
