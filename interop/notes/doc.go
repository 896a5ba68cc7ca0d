// Package notes is what oapi-codegen makes of openapi.yaml.
package notes

//go:generate go test -run TestLibraries/oapi-codegen -update ..
