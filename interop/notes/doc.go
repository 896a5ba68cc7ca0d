// Package notes is generated from openapi.yaml by oapi-codegen.
package notes

//go:generate go test -run TestLibraries/oapi-codegen -update ..
