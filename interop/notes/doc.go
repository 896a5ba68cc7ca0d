// Package notes is generated from openapi.yaml by oapi-codegen, while
// TestGenerated runs.
package notes

import _ "github.com/oapi-codegen/runtime" // the generated code imports it
