package middleware

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// RealIP sets r.RemoteAddr to the client's address as a trusted proxy reports it, where a proxy with a loopback or private
// address (127.0.0.0/8, ::1, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7) counts as trusted. Everything else is
// as with [RealIPFrom]. Use it only where everyone who can connect from such an address may be believed: on a machine or in
// a cluster of your own, behind a proxy of your own.
func RealIP(next http.Handler) http.Handler { return &realIPHandler{next, nearby} }

var nearby = newPrefixSet([]netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fc00::/7"),
})

// RealIPFrom sets r.RemoteAddr to the client's address as a trusted proxy reports it. Trusted are the given prefixes and
// nothing else; with none of them it does nothing. An invalid prefix panics.
//
// If the peer (r.RemoteAddr as it is) is trusted, the first of these headers that is there is read:
//
//	X-Forwarded-For: 198.51.100.7, 10.0.0.2     the rightmost address that isn't trusted
//	Forwarded: for=198.51.100.7, for=10.0.0.2   likewise (RFC 7239)
//	X-Real-IP: 198.51.100.7                     the address, if it isn't trusted
//
// r.RemoteAddr becomes that address with the port that stands beside it, or port 0: "198.51.100.7:0", "[2001:db8::7]:0".
// It always parses with [net.SplitHostPort].
//
// In every other case r.RemoteAddr stays what it is: the peer isn't trusted, or isn't an address with a port (a Unix
// socket); there is no such header, or it occurs twice, or is longer than 1024 bytes; an entry to the right of the address
// that is looked for, or that entry itself, is empty, malformed, has a zone, is "unknown" or hidden (RFC 7239 section 6);
// all of them are trusted. IPv4 addresses in IPv6 form (::ffff:10.0.0.2) are IPv4 addresses, on both sides.
//
// Who can spoof what: a client that isn't trusted and connects directly, nothing. A client behind a trusted proxy, what
// that proxy lets through. The proxy must append to or replace X-Forwarded-For itself, in one header line (HAProxy's option
// forwardfor adds a second one: put http-request del-header X-Forwarded-For before it), and where it only sets Forwarded
// or X-Real-IP, it must remove the headers above that from what clients send. A client may then still reach you as the
// proxy's own address, by a header that is refused here, so no address, and that of the proxy least of all, should open a
// door. Whoever has a trusted address can claim any other.
func RealIPFrom(trusted ...netip.Prefix) func(http.Handler) http.Handler {
	set := newPrefixSet(trusted)
	return func(next http.Handler) http.Handler { return &realIPHandler{next, set} }
}

// A prefixSet holds IPv4 prefixes as numbers, which compare faster than netip's.
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

// contains reports whether a is in the set. An address with a zone never is: on another link the same address is another
// host.
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

// client returns the address that the headers of a trusted peer name, the zero value if they name none.
func (h *realIPHandler) client(header http.Header) netip.AddrPort {
	if lists, ok := header["X-Forwarded-For"]; ok {
		return h.rightmost(lists, parseNode)
	}
	if lists, ok := header["Forwarded"]; ok {
		return h.rightmost(lists, parseForwarded)
	}
	if single, ok := header["X-Real-Ip"]; ok && !slices.ContainsFunc(single, func(v string) bool { return strings.Contains(v, ",") }) {
		return h.rightmost(single, parseNode)
	}
	return netip.AddrPort{}
}

const maxForwarded = 1024 // bytes: room for 20 proxies that write IPv6 addresses in full

// rightmost returns the last entry of a comma-separated list that isn't trusted, provided that all after it are. Commas
// within a quoted string separate too: no address has one, and so no quote that a client left open can swallow what the
// proxy appended to it.
func (h *realIPHandler) rightmost(lists []string, parse func(string) (netip.AddrPort, bool)) netip.AddrPort {
	if len(lists) != 1 || len(lists[0]) > maxForwarded {
		return netip.AddrPort{}
	}
	for list, more := lists[0], true; more; {
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
	return netip.AddrPort{}
}
