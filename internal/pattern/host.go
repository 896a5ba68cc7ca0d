package pattern

import (
	"fmt"
	"strings"
)

// Host normalizes a host for comparison: it removes the port, the brackets of
// an IPv6 literal and a trailing dot, and converts ASCII letters to lower case.
// Clients send non-ASCII names in Punycode, and Unicode case folding would map
// the Kelvin sign to k. Host allocates only if host has an upper-case letter.
func Host(host string) string {
	host, _ = cutPort(host)
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	if len(host) > 1 { // a host of . is not the absence of one
		host = strings.TrimSuffix(host, ".")
	}
	return Lower(host)
}

// HostPort is like [Host] but keeps the port. As in net/http, a pattern with a
// port matches only CONNECT requests, whose host is compared including the
// port.
func HostPort(host string) string {
	_, port := cutPort(host)
	return Host(host) + port
}

// cutPort splits host before the colon of its port.
func cutPort(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		if j := strings.IndexByte(host, ':'); j == i || host[0] == '[' && host[i-1] == ']' {
			return host[:i], host[i:]
		}
	}
	return host, ""
}

// Lower is strings.ToLower for ASCII.
func Lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if c := b[i]; 'A' <= c && c <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// parseHost sets p's host.
func (p *Pattern) parseHost(host string) error {
	if strings.ContainsAny(host, " \t") {
		return fmt.Errorf("%q is not a host; a path must begin with /", host)
	}
	if !strings.ContainsAny(host, "{}") {
		p.Host = HostPort(host)
		return nil
	}
	host = strings.TrimSuffix(host, ".")
	if i := strings.LastIndexByte(host, '}'); strings.Contains(host[i+1:], ":") {
		return fmt.Errorf("%q: ports are not compared; write %s", host, host[:strings.LastIndexByte(host, ':')])
	}
	for i, text := range strings.Split(strings.ReplaceAll(host, "...}", "/}"), ".") {
		text = strings.ReplaceAll(text, "/", "...") // there is no slash in a host
		label := Part{Text: Lower(text)}
		if text == "" {
			return fmt.Errorf("%q is not a host: a label is empty", host)
		}
		if strings.ContainsAny(text, "{}") {
			inner, ok := strings.CutPrefix(text, "{")
			inner, ok2 := strings.CutSuffix(inner, "}")
			if !ok || !ok2 || strings.ContainsAny(inner, "{}:") {
				return fmt.Errorf("%q: a parameter of a host is a whole label without a constraint, as in {sub}.example.com", text)
			}
			name, multi := strings.CutSuffix(inner, "...")
			if multi && i > 0 {
				return fmt.Errorf("%q must be the first label of the host", text)
			}
			if err := p.addName(name, text); err != nil {
				return err
			}
			label = Part{Text: name, Param: true, Multi: multi}
		}
		if i > 0 {
			p.Host += "."
		}
		p.HostLabels = append(p.HostLabels, Segment{label})
		p.Host += p.HostLabels[i].String()
	}
	return nil
}

// appendHostShape appends a key that is equal for patterns whose hosts differ
// only in the names of their parameters. It is "" for patterns without a host.
func (p *Pattern) appendHostShape(b []byte) []byte {
	if p.HostLabels == nil {
		return appendEscaped(b, p.Host)
	}
	for _, l := range p.HostLabels {
		b = append(l.appendShape(b), '.')
	}
	return b
}

// MatchHost reports whether p's host matches host, a result of [Host] or
// [HostPort].
func (p *Pattern) MatchHost(host string) bool {
	if p.HostLabels == nil {
		return p.Host == host
	}
	return MatchLabels(p.HostLabels, host, make([]string, len(p.HostLabels)))
}

// MatchLabels reports whether labels match host, and sets the first elements of
// vals to the values. vals must be long enough.
func MatchLabels(labels []Segment, host string, vals []string) bool {
	n := NamedLabels(labels)
	for i := len(labels) - 1; i >= 0; i-- { // the first label may match what the others leave
		l, text := labels[i][0], host
		if !l.Multi {
			dot := strings.LastIndexByte(host, '.')
			if (dot < 0) != (i == 0) {
				return false
			}
			text, host = host[dot+1:], host[:max(dot, 0)]
		}
		switch {
		case !l.Param:
			if text != l.Text {
				return false
			}
		case text == "", l.Multi && (text[0] == '.' || text[len(text)-1] == '.' || strings.Contains(text, "..")):
			return false
		default:
			n--
			vals[n] = text
		}
	}
	return true
}

// NamedLabels counts the labels that have values.
func NamedLabels(labels []Segment) (n int) {
	for _, l := range labels {
		if l[0].Param {
			n++
		}
	}
	return n
}
