package openapi

import "strings"

// addOperation adds an operation to a path item. The methods that have no field
// of their own are in additionalOperations.
func addOperation(item map[string]any, method string, object map[string]any) {
	if documented(method) || method == "QUERY" {
		item[strings.ToLower(method)] = object
		return
	}
	others, _ := item["additionalOperations"].(map[string]any)
	if others == nil {
		others = map[string]any{}
		item["additionalOperations"] = others
	}
	others[method] = object
}

// documented reports whether OpenAPI 3.1 has a field for the method.
func documented(method string) bool {
	switch method {
	case "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE":
		return true
	}
	return false
}

// streams reports whether a request or response of the operation has an
// itemSchema, which OpenAPI 3.1 lacks.
func streams(operation map[string]any) bool {
	messages := []any{operation["requestBody"]}
	if responses, ok := operation["responses"].(map[string]any); ok {
		for _, r := range responses {
			messages = append(messages, r)
		}
	}
	for _, m := range messages {
		object, _ := m.(map[string]any)
		content, _ := object["content"].(map[string]any)
		for _, media := range content {
			media, _ := media.(map[string]any)
			if _, ok := media["itemSchema"]; ok {
				return true
			}
		}
	}
	return false
}
