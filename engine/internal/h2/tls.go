package h2

import (
	"crypto/tls"
	"slices"
)

// checkTLS checks the version and the cipher suite (RFC 9113 section 9.2).
func (c *Conn) checkTLS() error {
	switch state := c.template.TLS; {
	case state == nil:
		return nil
	case state.Version < tls.VersionTLS12:
		return connError{inadequateSecurity, "tls_version"}
	case state.Version == tls.VersionTLS12 && !c.server.permitAllCiphers && !slices.Contains(allowedCiphers, state.CipherSuite):
		return connError{inadequateSecurity, "tls_cipher"}
	}
	return nil
}

// allowedCiphers are the cipher suites for TLS 1.2 of package crypto/tls that
// RFC 9113 appendix A doesn't prohibit.
var allowedCiphers = []uint16{
	tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
}
