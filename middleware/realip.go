package middleware

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// RealIP sets r.RemoteAddr to the client address reported by a trusted proxy.
// It is [RealIPFrom] with the loopback and private addresses as trusted
// prefixes (127.0.0.0/8, ::1, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16,
// fc00::/7). Use it only if you trust everyone who can connect from such an
// address, for example in your own cluster behind your own proxy.
func RealIP(next http.Handler) http.Handler { return &realIPHandler{next, nearby} }

var nearby = newPrefixSet([]netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fc00::/7"),
})

// RealIPFrom sets r.RemoteAddr to the client address reported by a trusted
// proxy. Proxies are trusted if their address is in one of the given prefixes.
// Without prefixes, RealIPFrom does nothing. It panics if a prefix is invalid.
//
// If the peer (the current r.RemoteAddr) is trusted, RealIPFrom uses the first
// of these headers that the request has:
//
//	X-Forwarded-For: 198.51.100.7, 10.0.0.2    the rightmost untrusted address
//	Forwarded: for=198.51.100.7, for=10.0.0.2  the same (RFC 7239)
//	X-Real-IP: 198.51.100.7                    the address, if it is untrusted
//
// Several X-Forwarded-For or Forwarded headers are treated as one list (RFC
// 9110 section 5.3). HAProxy, for example, adds its own header.
//
// The new r.RemoteAddr has the port given in the header, or port 0:
// "198.51.100.7:0", "[2001:db8::7]:0". [net.SplitHostPort] always accepts it.
//
// r.RemoteAddr remains unchanged
//   - if the peer isn't trusted, or isn't an address with a port, as for a Unix
//     socket;
//   - if there is no such header, if it is longer than 1024 bytes, or if there is
//     more than one X-Real-IP;
//   - if the address to use, or one to the right of it, is empty or malformed, has
//     a zone, or is "unknown" or obfuscated (RFC 7239 section 6);
//   - if all addresses are trusted.
//
// IPv4-mapped IPv6 addresses (::ffff:10.0.0.2) are treated as IPv4 addresses,
// both in prefixes and in headers.
//
// An untrusted client that connects directly cannot forge its address. Behind a
// trusted proxy, this depends on the proxy: it must append to or replace
// X-Forwarded-For. If it sets only Forwarded or X-Real-IP, it must remove the
// headers listed before that one from client requests. A client can still make
// its request appear to come from the proxy, by sending a malformed header. So
// don't grant access based on an address, in particular not on the proxy's.
// Everyone with a trusted address can forge any other address.
func RealIPFrom(trusted ...netip.Prefix) func(http.Handler) http.Handler {
	set := newPrefixSet(trusted)
	return func(next http.Handler) http.Handler { return &realIPHandler{next, set} }
}

// A prefixSet is a set of prefixes. It stores IPv4 prefixes as numbers, which
// are faster to compare than netip.Prefix.
type prefixSet struct {
	v4 []v4Prefix
	v6 []netip.Prefix
}

type v4Prefix struct{ bits, mask uint32 }

func newPrefixSet(prefixes []netip.Prefix) (set prefixSet) {
	for _, p := range prefixes {
		if !p.IsValid() {
			panic("middleware: RealIPFrom: invalid prefix; create prefixes with netip.MustParsePrefix(\"10.0.0.0/8\")")
		}
		if p.Addr().Is4In6() {
			if p.Bits() < 96 {
				panic("middleware: RealIPFrom: prefix " + p.String() + " contains IPv4 and IPv6 addresses; use one prefix for each")
			}
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		if p.Addr().Is6() {
			set.v6 = append(set.v6, p)
			continue
		}
		mask := ^uint32(0) << (32 - p.Bits())
		set.v4 = append(set.v4, v4Prefix{number(p.Addr()) & mask, mask})
	}
	return set
}

// contains reports whether a is in the set. Addresses with a zone never are,
// because the same address on another link is another host.
func (set *prefixSet) contains(a netip.Addr) bool {
	if a.Is4In6() && a.Zone() == "" {
		a = a.Unmap()
	}
	if a.Is4() {
		n := number(a)
		for _, p := range set.v4 {
			if n&p.mask == p.bits {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(set.v6, func(p netip.Prefix) bool { return p.Contains(a) })
}

func number(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

type realIPHandler struct {
	next    http.Handler
	trusted prefixSet
}

func (h *realIPHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if peer, ok := parsePeer(r.RemoteAddr); ok && h.trusted.contains(peer) {
		if client := h.client(r.Header); client.IsValid() {
			r.RemoteAddr = client.String()
		}
	}
	h.next.ServeHTTP(w, r)
}

// client returns the client address in the headers of a trusted peer, or the
// zero value.
func (h *realIPHandler) client(header http.Header) netip.AddrPort {
	if lists, ok := header["X-Forwarded-For"]; ok {
		return h.rightmost(lists, parseNode)
	}
	if lists, ok := header["Forwarded"]; ok {
		return h.rightmost(lists, parseForwarded)
	}
	if single, ok := header["X-Real-Ip"]; ok && len(single) == 1 && strings.IndexByte(single[0], ',') < 0 {
		return h.rightmost(single, parseNode)
	}
	return netip.AddrPort{}
}

const maxForwarded = 1024 // bytes; enough for 20 IPv6 addresses

// rightmost returns the last untrusted address of a comma-separated list in one
// or more lines. It returns the zero value if that address or a later one is
// invalid. A comma within a quoted string also separates, so that an unclosed
// quote sent by a client can't hide the addresses that proxies append.
func (h *realIPHandler) rightmost(lines []string, parse func(string) (netip.AddrPort, bool)) netip.AddrPort {
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	if size > maxForwarded {
		return netip.AddrPort{}
	}
	for _, list := range slices.Backward(lines) {
		for more := true; more; {
			comma := strings.LastIndexByte(list, ',')
			node, ok := parse(trimBlanks(list[comma+1:]))
			if !ok {
				return netip.AddrPort{}
			}
			if !h.trusted.contains(node.Addr()) {
				return node
			}
			if more = comma >= 0; more {
				list = list[:comma]
			}
		}
	}
	return netip.AddrPort{}
}
