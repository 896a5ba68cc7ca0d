module github.com/seed-1954dcaa/muxmaster/interop

go 1.26.0

require github.com/seed-1954dcaa/muxmaster v0.1.0

require (
	github.com/alexedwards/scs/v2 v2.9.0
	github.com/coreos/go-oidc/v3 v3.21.0
	github.com/go-chi/chi/v5 v5.5.0
	github.com/go-chi/cors v1.2.2
	github.com/go-chi/httplog/v3 v3.3.0
	github.com/go-chi/httprate v0.16.1
	github.com/go-chi/jwtauth/v5 v5.3.3
	github.com/go-jose/go-jose/v4 v4.1.8
	github.com/golang-jwt/jwt/v5 v5.3.1
	github.com/gorilla/csrf v1.7.3
	github.com/gorilla/handlers v1.5.2
	github.com/gorilla/sessions v1.4.0
	github.com/jub0bs/cors v0.11.0
	github.com/justinas/alice v1.2.0
	github.com/justinas/nosurf v1.2.0
	github.com/klauspost/compress v1.20.3
	github.com/rs/cors v1.11.1
	github.com/unrolled/secure v1.17.0
	github.com/urfave/negroni/v3 v3.1.2
	golang.org/x/mod v0.42.0
	golang.org/x/oauth2 v0.37.0
)

require (
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.3.0 // indirect
	github.com/felixge/httpsnoop v1.1.0 // indirect
	github.com/goccy/go-json v0.10.5 // indirect
	github.com/gorilla/securecookie v1.1.2 // indirect
	github.com/klauspost/cpuid/v2 v2.4.0 // indirect
	github.com/lestrrat-go/blackmagic v1.0.2 // indirect
	github.com/lestrrat-go/httpcc v1.0.1 // indirect
	github.com/lestrrat-go/httprc v1.0.6 // indirect
	github.com/lestrrat-go/iter v1.0.2 // indirect
	github.com/lestrrat-go/jwx/v2 v2.1.3 // indirect
	github.com/lestrrat-go/option v1.0.1 // indirect
	github.com/segmentio/asm v1.2.0 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
