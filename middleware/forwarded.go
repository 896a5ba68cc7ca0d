package middleware

import (
	"net/netip"
	"strconv"
	"strings"
)

// parseNode parses an address as proxies write it, with or without a port (0
// then):
//
//	192.0.2.1   192.0.2.1:4711   2001:db8::1   [2001:db8::1]   [2001:db8::1]:4711
//
// It rejects everything else, including zones, the unspecified address and port
// 0. An IPv4-mapped IPv6 address becomes an IPv4 address.
func parseNode(s string) (netip.AddrPort, bool) {
	if addr, rest, ok := cutIPv4(s); ok && rest == "" && !addr.IsUnspecified() {
		return netip.AddrPortFrom(addr, 0), true
	}
	host, port := s, ""
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return netip.AddrPort{}, false
		}
		host, port = s[1:end], s[end+1:]
		if !strings.Contains(host, ":") {
			return netip.AddrPort{}, false // brackets are for IPv6
		}
	} else if colon := strings.IndexByte(s, ':'); colon >= 0 && colon == strings.LastIndexByte(s, ':') {
		host, port = s[:colon], s[colon:]
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Zone() != "" {
		return netip.AddrPort{}, false
	}
	if addr = addr.Unmap(); addr.IsUnspecified() {
		return netip.AddrPort{}, false
	}
	if port == "" {
		return netip.AddrPortFrom(addr, 0), true
	}
	if port[0] != ':' || len(port) > len(":65535") {
		return netip.AddrPort{}, false
	}
	number, err := strconv.ParseUint(port[1:], 10, 16)
	if err != nil || number == 0 {
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(addr, uint16(number)), true
}

// cutIPv4 parses the IPv4 address at the start of s, and returns the rest of s.
// It is faster than netip.ParseAddr and accepts only addresses that ParseAddr
// accepts.
func cutIPv4(s string) (addr netip.Addr, rest string, ok bool) {
	var ip [4]byte
	i := 0
	for field := range ip {
		if field > 0 {
			if i == len(s) || s[i] != '.' {
				return addr, "", false
			}
			i++
		}
		start, n := i, 0
		for ; i < len(s) && i < start+3 && '0' <= s[i] && s[i] <= '9'; i++ {
			n = n*10 + int(s[i]-'0')
		}
		if i == start || n > 255 || s[start] == '0' && i > start+1 {
			return addr, "", false
		}
		ip[field] = byte(n)
	}
	return netip.AddrFrom4(ip), s[i:], true
}

// parsePeer parses a RemoteAddr, which must have a port.
func parsePeer(remoteAddr string) (netip.Addr, bool) {
	if addr, port, ok := cutIPv4(remoteAddr); ok && port != "" && port[0] == ':' {
		_, err := strconv.ParseUint(port[1:], 10, 16)
		return addr, err == nil
	}
	peer, err := netip.ParseAddrPort(remoteAddr)
	return peer.Addr(), err == nil
}

// parseForwarded returns the for= address of one element of a Forwarded header
// (RFC 7239 section 4):
//
//	for=192.0.2.1;proto=https  => 192.0.2.1
//	for="[2001:db8::1]:4711"   => [2001:db8::1]:4711
//
// IPv6 addresses need brackets; brackets and ports need quotes. parseForwarded
// rejects an element without exactly one for=, with "unknown" or an obfuscated
// identifier, with a malformed pair, or with a semicolon or a backslash in a
// quoted string, which no address needs.
func parseForwarded(element string) (node netip.AddrPort, ok bool) {
	for pair := range strings.SplitSeq(element, ";") {
		if pair = trimBlanks(pair); pair == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		if !found || !isToken(name) {
			return netip.AddrPort{}, false
		}
		quoted := len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"'
		switch {
		case quoted:
			value = value[1 : len(value)-1]
			if strings.ContainsAny(value, `"\`) || !isFieldValue(value) {
				return netip.AddrPort{}, false
			}
		case !isToken(value):
			return netip.AddrPort{}, false
		}
		if !strings.EqualFold(name, "for") {
			continue
		}
		if ok || strings.Count(value, ":") > 1 && value[0] != '[' {
			return netip.AddrPort{}, false
		}
		if node, ok = parseNode(value); !ok {
			return netip.AddrPort{}, false
		}
	}
	return node, ok
}

// trimBlanks removes spaces and tabs at both ends. It is faster than
// strings.Trim.
func trimBlanks(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

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
