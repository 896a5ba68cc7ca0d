// Package openapi validates the document of inspect.OpenAPI for a service with all
// kinds of routes. TestClient generates package client from the document with
// oapi-codegen, and calls the service with it.
//
// testdata/oas-3.1-schema.json is the JSON Schema of OpenAPI 3.1 documents,
// from https://spec.openapis.org/oas/3.1/schema/2022-10-07 (Apache License
// 2.0).
package openapi
