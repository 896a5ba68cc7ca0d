package request

import (
	"cmp"
	"net/http"
	"slices"
)

// A Field is one value of a response's header. A key without values becomes one
// field with None set, because the key still prevents a default such as Date.
type Field struct {
	Key, Value string
	None       bool
}

// AppendFields appends the fields of h to dst, sorted by key, as net/http sends
// them.
func AppendFields(dst []Field, h http.Header) []Field {
	start := len(dst)
	for k, values := range h {
		if len(values) == 0 {
			dst = append(dst, Field{Key: k, None: true})
		}
		for _, v := range values {
			dst = append(dst, Field{Key: k, Value: v})
		}
	}
	SortFields(dst[start:])
	return dst
}

// SortFields sorts fields by key. Fields of the same key keep their order.
func SortFields(f []Field) {
	if len(f) > 16 {
		slices.SortStableFunc(f, func(a, b Field) int { return cmp.Compare(a.Key, b.Key) })
		return
	}
	for i := 1; i < len(f); i++ {
		for j := i; j > 0 && f[j].Key < f[j-1].Key; j-- {
			f[j], f[j-1] = f[j-1], f[j]
		}
	}
}

// BodyAllowed reports whether a response with this status may have a body.
func BodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}
