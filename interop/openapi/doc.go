// Package openapi validates what Mux.OpenAPI says of a service with every form
// of route. Package client is what oapi-codegen makes of it, and calls the
// service.
//
//	go test ./openapi/...      validate, compare and call
//	go generate ./openapi      generate the client anew
//
// testdata/oas-3.1-schema.json is the JSON Schema of OpenAPI 3.1 documents, from
// https://spec.openapis.org/oas/3.1/schema/2022-10-07 (Apache License 2.0).
package openapi

//go:generate go test . -update
