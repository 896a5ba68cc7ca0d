package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// maxResponse is the maximum size of a response. 5,000 routes take 2 MB.
const maxResponse = 64 << 20

// baseURL returns a URL without a trailing slash. text can be a URL without a
// scheme, or the address of the page or a file below it in a browser.
func baseURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("bad URL %q: %w", text, err.(*url.Error).Err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("bad URL %q: it must begin with http:// or https://", text)
	}
	if u.Hostname() == "" {
		return nil, fmt.Errorf("bad URL %q: it has no host", text)
	}
	u.RawQuery, u.ForceQuery, u.Fragment = "", false, ""
	switch path.Base(u.Path) {
	case "routes.json", "routes.txt", "explain.json", "openapi.json", "coverage.json":
		u = u.JoinPath("..")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u, nil
}

func (c *command) transport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(address); err == nil && strings.HasSuffix(strings.ToLower(host), ".localhost") {
			address = net.JoinHostPort("localhost", port) // as in a browser (RFC 6761, 6.3); few resolvers know it
		}
		return dial(ctx, network, address)
	}
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: c.insecure}
	return transport
}

// get decodes a JSON file of the page at base into v, and returns the file.
func (c *command) get(base *url.URL, file string, v any) ([]byte, error) {
	client := &http.Client{Timeout: 30 * time.Second, Transport: c.transport()}
	defer client.CloseIdleConnections()
	r, err := http.NewRequest(http.MethodGet, base.String()+"/"+file, nil)
	if err != nil {
		return nil, err
	}
	r.Header = c.header
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, unreachable(base, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	if err != nil {
		return nil, unreachable(base, err)
	}
	address := *resp.Request.URL // of the last redirect
	address.RawQuery, address.User = "", nil
	switch {
	case len(data) > maxResponse:
		return nil, fmt.Errorf("the response of %s is larger than %d MB", &address, maxResponse>>20)
	case resp.StatusCode != http.StatusOK:
		return nil, refused(&address, resp, data)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return nil, fmt.Errorf("%s is not the page of package inspect: %w", &address, err)
	}
	return data, nil
}

// unreachable returns an error for a failed request to an address, with advice.
func unreachable(address *url.URL, err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	var timeout interface{ Timeout() bool }
	var certificate *tls.CertificateVerificationError
	var dial *net.OpError
	var lookup *net.DNSError
	hint := ""
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		hint = "; the service takes too long"
	case errors.As(err, &lookup):
		hint = "; check the name of the host"
	case errors.As(err, &dial) && dial.Op == "dial":
		hint = "; check that the service is running on this port"
	case errors.As(err, &certificate):
		hint = "; to accept the certificate, use -insecure"
	case strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		hint = "; use http:// for this service"
	}
	return fmt.Errorf("no response from %s: %w%s", address.Redacted(), err, hint)
}

// refused returns an error for a status other than 200, with advice.
func refused(address *url.URL, resp *http.Response, body []byte) error {
	hint := ""
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		hint = "; send a login with -H"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		hint = "; check that inspect.Handler is mounted there"
	}
	text := ""
	if line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n")); len(line) > 0 {
		text = fmt.Sprintf(": %.200q", line)
	}
	return fmt.Errorf("%s returned %d %s%s%s", address, resp.StatusCode, http.StatusText(resp.StatusCode), text, hint)
}
