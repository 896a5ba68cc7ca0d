package pattern

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// StandardMethods are the methods of the router's verb methods, in the order of
// the Allow header.
var StandardMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "QUERY", "OPTIONS"}

// ParseMethods parses a list of methods: METHOD[,METHOD...]. The caller must not
// modify the result.
func ParseMethods(list string) (methods []string, err error) {
	if i := slices.Index(StandardMethods, list); i >= 0 {
		return StandardMethods[i : i+1 : i+1], nil // saves an allocation
	}
	for m := range strings.SplitSeq(list, ",") {
		if err := foreignMethod(m); err != nil {
			return nil, err
		}
		if m == "" {
			return nil, errors.New("a method is missing; separate methods with commas only, as in GET,POST")
		}
		if !validMethod(m) {
			return nil, fmt.Errorf("%q is not a method", m)
		}
		if slices.Contains(methods, m) {
			return nil, fmt.Errorf("the method %s is listed twice", m)
		}
		methods = append(methods, m)
	}
	return methods, nil
}

// validMethod reports whether s is a token of RFC 9110, section 5.6.2.
func validMethod(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}
