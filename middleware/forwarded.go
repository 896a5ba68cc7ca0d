package middleware

import (
	"net/netip"
	"strings"
)

// parseNode parses an address as proxies write it, with or without a port (0
// then):
//
//	192.0.2.1   192.0.2.1:4711   2001:db8::1   [2001:db8::1]   [2001:db8::1]:4711
//
// An IPv4-mapped IPv6 address becomes an IPv4 address. For everything else,
// including zones, the unspecified address and port 0, it returns the zero
// value.
func parseNode(s string) (none netip.AddrPort) {
	var node netip.AddrPort
	brackets := strings.HasPrefix(s, "[")
	switch colons := strings.Count(s, ":"); {
	case brackets && strings.HasSuffix(s, "]") && colons > 1: // IPv6
		addr, _ := netip.ParseAddr(s[1 : len(s)-1])
		node = netip.AddrPortFrom(addr, 0)
	case brackets, colons == 1:
		if node, _ = netip.ParseAddrPort(s); node.Port() == 0 {
			return none
		}
	default:
		addr, _ := netip.ParseAddr(s)
		node = netip.AddrPortFrom(addr, 0)
	}
	addr := node.Addr().Unmap() // without the zone of an IPv4-mapped address
	if node.Addr().Zone() != "" || addr.IsUnspecified() {
		return none
	}
	return netip.AddrPortFrom(addr, node.Port())
}

// parseForwarded returns the for= address of one element of a Forwarded header
// (RFC 7239 section 4):
//
//	for=192.0.2.1;proto=https  => 192.0.2.1
//	for="[2001:db8::1]:4711"   => [2001:db8::1]:4711
//
// IPv6 addresses need brackets; brackets and ports need quotes. parseForwarded
// returns the zero value for an element without exactly one for=, with "unknown"
// or an obfuscated identifier, with a malformed pair, or with a semicolon or a
// backslash in a quoted string, which no address needs.
func parseForwarded(element string) (node netip.AddrPort) {
	var none netip.AddrPort
	for pair := range strings.SplitSeq(element, ";") {
		if pair = trimBlanks(pair); pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=") // no value is an error below
		if !isToken(name) {
			return none
		}
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
			if strings.ContainsAny(value, `"\`) || !isFieldValue(value) {
				return none
			}
		} else if !isToken(value) {
			return none
		}
		if !strings.EqualFold(name, "for") {
			continue
		}
		if node.IsValid() || strings.Count(value, ":") > 1 && value[0] != '[' {
			return none
		}
		if node = parseNode(value); !node.IsValid() {
			return none
		}
	}
	return node
}

// trimBlanks removes spaces and tabs at both ends.
func trimBlanks(s string) string { return strings.Trim(s, " \t") }

// isToken reports whether s is a token of RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// isFieldValue reports whether s has only bytes that RFC 9110 section 5.5
// allows in a field value.
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
