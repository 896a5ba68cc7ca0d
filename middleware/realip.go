package middleware

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

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
// 9110 section 5.3). HAProxy, for example, adds its own header. The list is read
// from the right, so what a client sends to the left of its own address has no
// effect, however long it is.
//
// The new r.RemoteAddr has the port given in the header, or port 0:
// "198.51.100.7:0", "[2001:db8::7]:0". [net.SplitHostPort] always accepts it.
//
// r.RemoteAddr remains unchanged
//   - if the peer isn't trusted, or isn't an address with a port, as for a Unix
//     socket;
//   - if there is no such header, or more than one X-Real-IP;
//   - if the address to use, or one to the right of it, is empty or malformed, has
//     a zone, or is "unknown" or obfuscated (RFC 7239 section 6);
//   - if all addresses, or the 32 rightmost ones, are trusted.
//
// IPv4-mapped IPv6 addresses (::ffff:10.0.0.2) are treated as IPv4 addresses,
// both in prefixes and in headers.
//
// An untrusted client that connects directly cannot forge its address. Behind a
// trusted proxy, this depends on the proxy: it must append to or replace
// X-Forwarded-For. If it sets only Forwarded or X-Real-IP, it must remove the
// headers listed before that one from client requests, or a client can send one
// of them, with any address or with a malformed one that hides it behind the
// proxy's. Everyone with a trusted address can forge any other address.
func RealIPFrom(trusted ...netip.Prefix) func(http.Handler) http.Handler {
	set := newPrefixSet(trusted)
	return func(next http.Handler) http.Handler { return &realIPHandler{next, set} }
}

// RealIP trusts every loopback and private address, and sets r.RemoteAddr to the
// client address that such a proxy reports. It is [RealIPFrom] with the prefixes
// 127.0.0.0/8, ::1, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7.
// Everyone who can connect from such an address can forge any other address, so
// prefer RealIPFrom with the addresses of your proxies.
func RealIP(next http.Handler) http.Handler { return &realIPHandler{next, nearby} }

var nearby = newPrefixSet([]netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fc00::/7"),
})

// A prefixSet is a set of IPv4 and IPv6 prefixes. None of them is IPv4-mapped.
type prefixSet []netip.Prefix

func newPrefixSet(prefixes []netip.Prefix) prefixSet {
	set := slices.Clone(prefixes)
	for i, p := range set {
		if !p.IsValid() {
			panic("middleware: RealIPFrom: invalid prefix; create prefixes with netip.MustParsePrefix(\"10.0.0.0/8\")")
		}
		if p.Addr().Is4In6() {
			if p.Bits() < 96 {
				panic("middleware: RealIPFrom: prefix " + p.String() + " contains IPv4 and IPv6 addresses; use one prefix for each")
			}
			set[i] = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
	}
	return set
}

// contains reports whether a is in the set. Addresses with a zone never are,
// because the same address on another link is another host.
func (set prefixSet) contains(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	return slices.ContainsFunc(set, func(p netip.Prefix) bool { return p.Contains(a) })
}

type realIPHandler struct {
	next    http.Handler
	trusted prefixSet
}

func (h *realIPHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && h.trusted.contains(peer.Addr()) {
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
	if single := header["X-Real-Ip"]; len(single) == 1 && !strings.Contains(single[0], ",") {
		return h.rightmost(single, parseNode)
	}
	return netip.AddrPort{}
}

const maxHops = 32 // number of trusted proxies in a row

// rightmost returns the last untrusted address of a comma-separated list in one
// or more lines. It returns the zero value if that address or a later one is
// invalid, or if there are too many later ones. The length of the list doesn't
// matter: a trusted proxy has appended its client's address, so a client can't
// hide that by what it sends before it. A comma within a quoted string also
// separates, so that an unclosed quote can't hide it either.
func (h *realIPHandler) rightmost(lines []string, parse func(string) netip.AddrPort) netip.AddrPort {
	hops := 0
	for _, list := range slices.Backward(lines) {
		for more := true; more && hops < maxHops; hops++ {
			comma := strings.LastIndexByte(list, ',')
			node := parse(trimBlanks(list[comma+1:]))
			if !h.trusted.contains(node.Addr()) { // or node is invalid
				return node
			}
			if more = comma >= 0; more {
				list = list[:comma]
			}
		}
	}
	return netip.AddrPort{}
}
