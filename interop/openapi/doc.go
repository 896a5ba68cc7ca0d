// Package openapi validates the document of inspect.OpenAPI for a service with all
// kinds of routes. TestClient generates package client from the document with
// oapi-codegen, and calls the service with it.
package openapi
