package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// This file compares the headers of two responses. Most differ from response to
// response, such as Date and the ID of a request. So for most headers only a
// missing one is a difference. The values of a few are the same for each response
// of a route, and decide who may do what with it: those of CORS and caches, for
// example. Of cookies and policies, the parts that change are left out.

// volatile are headers that nobody misses: they depend on the connection, a proxy
// or the time, or are compared as fields of Response.
var volatile = map[string]bool{
	"Date": true, "Content-Length": true, "Connection": true, "Keep-Alive": true, "Transfer-Encoding": true, "Trailer": true, "Server": true, "Via": true,
	"Alt-Svc": true, "Age": true, "Content-Type": true, "Location": true, "Allow": true,
}

// steady holds the headers whose values are compared.
var steady = map[string]effect{
	"Set-Cookie": parsed, "Content-Security-Policy": parsed,

	"Cache-Control": restricts, "Clear-Site-Data": restricts, "Content-Disposition": restricts, "Cross-Origin-Embedder-Policy": restricts,
	"Cross-Origin-Opener-Policy": restricts, "Cross-Origin-Resource-Policy": restricts, "Document-Policy": restricts, "Integrity-Policy": restricts,
	"Origin-Agent-Cluster": restricts, "Permissions-Policy": restricts, "Referrer-Policy": restricts, "Strict-Transport-Security": restricts,
	"X-Content-Type-Options": restricts, "X-Download-Options": restricts, "X-Frame-Options": restricts, "X-Permitted-Cross-Domain-Policies": restricts,

	"Access-Control-Allow-Credentials": allows, "Access-Control-Allow-Headers": allows, "Access-Control-Allow-Methods": allows,
	"Access-Control-Allow-Origin": allows, "Access-Control-Allow-Private-Network": allows, "Access-Control-Expose-Headers": allows,
	"Refresh": allows, "Service-Worker-Allowed": allows, "Timing-Allow-Origin": allows,

	"Access-Control-Max-Age": neither, "Content-Encoding": neither, "Content-Language": neither, "Content-Security-Policy-Report-Only": neither,
	"Vary": neither, "Www-Authenticate": neither, "X-Robots-Tag": neither,
}

// An effect says when another value of a header means less protection.
type effect int

const (
	_         effect = iota // the value isn't compared
	neither                 // never
	restricts               // if an element is missing
	allows                  // if there is an element more
	parsed                  // see cookies and policies
)

// otherHeader returns the name of the first header that differs: one that is
// missing now, that has another value, or that allows more than before. It is ""
// if there is none. lost reports whether a protection is missing or weaker now;
// such a header comes first.
func otherHeader(old, now Response) (name string, lost bool) {
	if !slices.Equal(list(old.Allow), list(now.Allow)) {
		name = "Allow"
	} else if !old.redirects() && mediaType(old.ContentType) != mediaType(now.ContentType) {
		name = "Content-Type"
	}
	if charset := charsetOf(old.ContentType); charset != "" && charset != charsetOf(now.ContentType) && !old.redirects() && name == "" {
		return "Content-Type", true
	}
	names := slices.Collect(maps.Keys(old.Header))
	for header := range now.Header {
		if old.Header[header] == nil {
			names = append(names, header)
		}
	}
	slices.Sort(names)
	for _, header := range names {
		was, is := old.Header[header], now.Header[header]
		switch differs, worse := steady[header].compare(header, was, is); {
		case volatile[header]:
		case worse:
			return header, true
		case differs || is == nil:
			name = cmp.Or(name, header)
		}
	}
	return name, false
}

// compare compares the values of a header with this effect. One that is new is only
// a difference if it allows something, or sets a cookie.
func (e effect) compare(name string, old, now []string) (differs, worse bool) {
	a, b := elements(name, old), elements(name, now)
	switch {
	case e == 0 || slices.Equal(a, b):
		return false, false
	case e == neither:
		return old != nil, false
	case e == allows:
		return true, len(without(b, a)) > 0
	case name == "Set-Cookie":
		return true, weakerCookies(old, now)
	case old == nil:
		return false, false
	case name == "Content-Security-Policy":
		return true, weakerPolicies(policies(old), policies(now))
	case name == "Cache-Control":
		kept := []string{"no-store", "no-cache", "private", "must-revalidate"}
		return true, slices.ContainsFunc(without(a, b), func(s string) bool { return slices.Contains(kept, s) })
	case name == "Content-Disposition":
		return true, strings.HasPrefix(a[0], "attachment") && !strings.HasPrefix(b[0], "attachment")
	}
	return true, len(without(a, b)) > 0
}

// elements returns the elements of a header in a form that can be compared and shown:
// without those of cookies and nonces.
func elements(name string, lines []string) []string {
	switch name {
	case "Set-Cookie":
		var texts []string
		for _, c := range cookies(lines) {
			texts = append(texts, c.Raw)
		}
		return texts
	case "Content-Security-Policy", "Content-Security-Policy-Report-Only":
		policies := list(nonce.ReplaceAllString(strings.Join(lines, ","), "'nonce'"))
		for i, policy := range policies {
			directives := strings.FieldsFunc(policy, func(c rune) bool { return c == ';' })
			for j := range directives {
				directives[j] = strings.Join(strings.Fields(directives[j]), " ")
			}
			slices.SortStableFunc(directives, func(a, b string) int { return cmp.Compare(firstWord(a), firstWord(b)) }) // the first of a name counts
			policies[i] = strings.Join(directives, "; ")
		}
		slices.Sort(policies)
		return policies
	}
	return list(lines...)
}

func firstWord(s string) string { word, _, _ := strings.Cut(s, " "); return word }

var nonce = regexp.MustCompile(`(?i)'nonce-[^']*'`)

// cookies returns the cookies of Set-Cookie by name, without values and times. Raw
// has what is compared of them.
func cookies(lines []string) (list []*http.Cookie) {
	for _, line := range lines {
		c, err := http.ParseSetCookie(line)
		if err != nil { // browsers ignore it, or accept more than Go does
			name, _, ok := strings.Cut(line, "=")
			if !ok {
				name = "" // it is the value
			}
			c = &http.Cookie{Name: name, Raw: name + ": invalid"}
		} else {
			kept := *c
			kept.Value, kept.Expires = "", time.Time{}
			c.Raw = kept.String()
			switch {
			case c.MaxAge != 0 || c.Expires.IsZero():
			case c.Expires.Before(time.Now()):
				c.Raw += "; Expires=past"
			default:
				c.Raw += "; Expires=future"
			}
			for _, attribute := range c.Unparsed {
				name, _, _ := strings.Cut(attribute, "=")
				c.Raw += "; " + name
			}
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b *http.Cookie) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Raw, b.Raw)) })
	return list
}

// weakerCookies reports whether a cookie has lost an attribute that protects it, or
// goes to more hosts.
func weakerCookies(old, now []string) bool {
	sameSite := map[http.SameSite]int{http.SameSiteLaxMode: 2, http.SameSiteStrictMode: 3, http.SameSiteNoneMode: 1}
	before := cookies(old)
	for _, c := range cookies(now) {
		i := slices.IndexFunc(before, func(o *http.Cookie) bool { return o.Name == c.Name })
		if i < 0 {
			continue
		}
		o := before[i]
		before = slices.Delete(before, i, i+1)
		if o.Secure && !c.Secure || o.HttpOnly && !c.HttpOnly || o.Partitioned && !c.Partitioned || sameSite[o.SameSite] > sameSite[c.SameSite] ||
			c.Domain != o.Domain && c.Domain != "" || c.Path != o.Path && !strings.HasPrefix(c.Path, o.Path) {
			return true
		}
	}
	return false
}

// policies returns the policies of a Content-Security-Policy: the sources by
// directive.
func policies(lines []string) (list []map[string][]string) {
	for _, text := range elements("Content-Security-Policy", lines) {
		policy := map[string][]string{}
		for directive := range strings.SplitSeq(text, ";") {
			words := strings.Fields(directive)
			if len(words) > 0 && policy[words[0]] == nil { // the first one counts
				policy[words[0]] = slices.DeleteFunc(words[1:], func(s string) bool { return s == "'none'" })
			}
		}
		list = append(list, policy)
	}
	return list
}

// weakerPolicies reports whether a policy is missing, or allows a source more.
func weakerPolicies(old, now []map[string][]string) bool {
	if len(now) < len(old) {
		return true
	}
	for i, policy := range old {
		for name, sources := range policy {
			others, ok := now[i][name]
			if !ok && strings.HasSuffix(name, "-src") {
				others, ok = now[i]["default-src"]
			}
			if !ok || len(without(others, sources)) > 0 {
				return true
			}
		}
		sources, ok := policy["default-src"]
		for name, others := range now[i] {
			if ok && policy[name] == nil && strings.HasSuffix(name, "-src") && len(without(others, sources)) > 0 {
				return true
			}
		}
	}
	return false
}

// charsetOf returns the charset of a text or XML. Events have always the same.
func charsetOf(contentType string) string {
	if t, params, err := mime.ParseMediaType(contentType); err == nil && t != "text/event-stream" && (strings.HasPrefix(t, "text/") || strings.Contains(t, "xml")) {
		return strings.ToLower(params["charset"])
	}
	return ""
}

// list returns the elements of a header, which may be in several lines.
func list(lines ...string) []string {
	elements := strings.Split(strings.ToLower(strings.Join(lines, ",")), ",")
	for i := range elements {
		elements[i] = strings.TrimSpace(elements[i])
	}
	slices.Sort(elements)
	return slices.Compact(elements)
}

// header returns the value of a header, or "(none)".
func (r Response) header(name string) string {
	values := r.Header[name]
	switch name {
	case "Set-Cookie", "Content-Security-Policy", "Content-Security-Policy-Report-Only":
		values = elements(name, values)
	}
	return cmp.Or(strings.Join(values, ", "), "(none)")
}

// headerCause returns a text that is the same for differences of a header that
// have, most likely, the same cause: a header that is missing everywhere, or
// methods in Allow that a router adds to all.
func (d *Difference) headerCause() string {
	name, _ := otherHeader(d.Old, d.Now)
	switch old, now := d.Old.header(name), d.Now.header(name); {
	case name == "Allow" && (d.Old.Allow == "" || d.Now.Allow == ""):
		return fmt.Sprintf("Allow %t", d.Old.Allow == "")
	case name == "Allow":
		return fmt.Sprintf("Allow %q %q", without(list(old), list(now)), without(list(now), list(old)))
	case name == "Content-Type" || steady[name] != 0:
		return fmt.Sprintf("%s %q %q", name, old, now)
	}
	return name
}

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(m string) bool { return slices.Contains(b, m) })
}
