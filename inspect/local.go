package inspect

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxyHeaders are headers that proxies add, besides X-Forwarded-For and the like.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For", "X-Envoy-External-Address",
	"True-Client-Ip", "Cf-Connecting-Ip", "Cdn-Loop",
}

// isLocal reports whether r was sent directly from the same machine: the peer has
// a loopback address, nothing shows a proxy, and its Host is local, so that
// other sites' pages can't read the response by DNS rebinding.
//
// A proxy shows by a header that it adds, or by HTTP/1.0, which nginx sends to
// servers unless it is told otherwise. With nginx's defaults, the Host is that
// in its configuration, often localhost.
func isLocal(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() {
		return false
	}
	if r.ProtoMajor == 1 && r.ProtoMinor == 0 {
		return false
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded-") || slices.Contains(proxyHeaders, name) {
			return false
		}
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
