package middleware

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// RealIP sets r.RemoteAddr to the client's address as a trusted proxy reports
// it. It trusts every proxy with a loopback or private address (127.0.0.0/8,
// ::1, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7). Everything else
// is as with [RealIPFrom]. Use it only where everyone who can connect from
// such an address may be believed: on your own machine or cluster, behind your
// own proxy.
func RealIP(next http.Handler) http.Handler { return &realIPHandler{next, nearby} }

var nearby = newPrefixSet([]netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fc00::/7"),
})

// RealIPFrom sets r.RemoteAddr to the client's address as a trusted proxy
// reports it. It trusts the given prefixes and nothing else; without any it
// does nothing. An invalid prefix panics.
//
// If the peer (r.RemoteAddr so far) is trusted, the first of these headers that
// the request has is read:
//
//	X-Forwarded-For: 198.51.100.7, 10.0.0.2    the rightmost one not trusted
//	Forwarded: for=198.51.100.7, for=10.0.0.2  the same (RFC 7239)
//	X-Real-IP: 198.51.100.7                    that one, if it isn't trusted
//
// Several lines of X-Forwarded-For or Forwarded are one list, in their order
// (RFC 9110 section 5.3), as behind nginx and then HAProxy, whose option
// forwardfor adds a line of its own.
//
// r.RemoteAddr becomes that address with the port that it was given with, or
// port 0: "198.51.100.7:0", "[2001:db8::7]:0". [net.SplitHostPort] always
// accepts it.
//
// r.RemoteAddr stays as it is
//   - if the peer isn't trusted, or isn't an address with a port, as for a Unix
//     socket;
//   - if there is no such header, if it is longer than 1024 bytes, or if there
//     is more than one X-Real-IP;
//   - if the entry in question, or one to the right of it, is empty, malformed,
//     has a zone, is "unknown" or hidden (RFC 7239 section 6);
//   - if all entries are trusted.
//
// IPv4 addresses in IPv6 form (::ffff:10.0.0.2) are IPv4 addresses, both in
// prefixes and in headers.
//
// Who can forge an address? A client that isn't trusted and connects directly:
// not at all. A client behind a trusted proxy: as far as that proxy lets it.
// The proxy must append to or replace X-Forwarded-For. If it sets only
// Forwarded or X-Real-IP, it must remove from what clients send the headers
// that are listed above that one. Even then a client can have its request
// appear under the proxy's own address, by a header that is refused here. So
// no address, and the proxy's least of all, should grant access to anything.
// Whoever has a trusted address can claim any other.
func RealIPFrom(trusted ...netip.Prefix) func(http.Handler) http.Handler {
	set := newPrefixSet(trusted)
	return func(next http.Handler) http.Handler { return &realIPHandler{next, set} }
}

// A prefixSet holds IPv4 prefixes as numbers, which are faster to compare than
// netip's.
type prefixSet struct {
	v4 []v4Prefix
	v6 []netip.Prefix
}

type v4Prefix struct{ bits, mask uint32 }

func newPrefixSet(prefixes []netip.Prefix) (set prefixSet) {
	for _, p := range prefixes {
		if !p.IsValid() {
			panic("middleware: RealIPFrom: invalid prefix; make prefixes with netip.MustParsePrefix(\"10.0.0.0/8\")")
		}
		if p.Addr().Is4In6() {
			if p.Bits() < 96 {
				panic("middleware: RealIPFrom: prefix " + p.String() + " holds IPv4 and IPv6 addresses; give one prefix for each")
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

// contains reports whether a is in the set. An address with a zone never is: on
// another link, the same address is another host.
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

// client returns the address that the headers of a trusted peer name, the zero
// value if they name none.
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

const maxForwarded = 1024 // bytes: enough for 20 proxies that write IPv6 addresses in full

// rightmost returns the last entry of a comma-separated list, in one or more
// lines, that isn't trusted, provided that all entries after it are. A comma
// within a quoted string separates too: no address has one, and so no quote
// that a client left open can swallow what the proxy appended.
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
