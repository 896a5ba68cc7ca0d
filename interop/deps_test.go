package interop

import (
	_ "github.com/alexedwards/scs/goredisstore"
	_ "github.com/getkin/kin-openapi/openapi3"
	_ "github.com/go-chi/httprate-redis"
	_ "github.com/markbates/goth"
	_ "github.com/redis/go-redis/v9"
)
