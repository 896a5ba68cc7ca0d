package inspect

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// PrintDifferences writes a summary of what [Compare] or [Diff] found, the
// worst first: for each kind how many requests there are, and a line for each
// cause with one of its requests. Differences have the same cause if they are
// about the same route, or if routers differ alike everywhere, as in the Allow
// of their 405. It writes all causes of lost logins and other middleware, and
// ten of each other kind: first those in responses of handlers to plain requests, then those in
// redirects and errors, then those of HEAD, OPTIONS and odd paths.
func PrintDifferences(w io.Writer, list []Difference) error {
	var b strings.Builder
	if len(list) == 0 {
		b.WriteString("no difference\n")
	}
	byKind := map[Kind][]Difference{}
	for _, d := range list {
		byKind[d.Kind] = append(byKind[d.Kind], d)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		printKind(&b, kind, byKind[kind])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printKind sorts and writes the differences of one kind.
func printKind(b *strings.Builder, kind Kind, list []Difference) {
	const few = 10
	places := map[string]bool{} // where plain requests differ
	for i := range list {
		if d := &list[i]; !d.special() {
			places[d.place()] = true
		}
	}
	slices.SortStableFunc(list, func(a, b Difference) int { return cmp.Compare(a.oddness(), b.oddness()) })
	var causes []string // in the order of their first difference
	alike := map[string][]*Difference{}
	for i := range list {
		cause := list[i].cause(places)
		if alike[cause] == nil {
			causes = append(causes, cause)
		}
		alike[cause] = append(alike[cause], &list[i])
	}
	fmt.Fprintf(b, "%s: %s\n", kind, count(len(list), "request"))
	left := len(list)
	for i, cause := range causes {
		if i == few && kind != LostLogin && kind != OtherMiddleware {
			fmt.Fprintf(b, "  and %d more causes, %s\n", len(causes)-few, count(left, "request"))
			break
		}
		_, line, _ := strings.Cut(alike[cause][0].String(), ": ")
		fmt.Fprintf(b, "  %s", line)
		if more := len(alike[cause]) - 1; more > 0 {
			fmt.Fprintf(b, " (and %d like it)", more)
		}
		b.WriteString("\n")
		left -= len(alike[cause])
	}
}

// count returns a number of things, such as 5,001 routes.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// grouped returns a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// cause returns a text that differences of one kind have in common if they have,
// most likely, the same cause. places are where plain requests differ.
func (d *Difference) cause(places map[string]bool) string {
	place := d.place()
	statuses := fmt.Sprint(d.Old.Status, " ", d.Now.Status)
	switch d.Kind {
	case LostLogin, Crash:
		return place
	case OtherMiddleware:
		old, now := d.change()
		return fmt.Sprintf("%q", append([]string{d.origin().scope, chain(old)}, now...))
	case NewLogin, OtherStatus:
		if scope := d.origin().scope; scope != "" && (d.Old.denies() || d.Now.denies()) && !d.Old.succeeded() {
			return scope // of a login that was added or removed
		}
	case LostProtection, OtherHeader:
		return d.headerCause()
	case OtherError:
		if sameBody(d.Old, d.Now) {
			return d.headerCause()
		}
		return fmt.Sprint(statuses, d.withoutPath(d.Old.Body), d.withoutPath(d.Now.Body))
	}
	switch {
	case d.special() && !places[place]: // a rule of the router
		return fmt.Sprint(statuses, automatic(d.Request.Method))
	case d.Kind == LostRoute || d.Kind == NewRoute || d.Old.denies() || d.Now.denies():
		return place
	case d.Old.Status >= 300 && d.Now.Status >= 300: // no handler ran, as far as the response shows
		return statuses
	}
	return statuses + place
}

// withoutPath returns the text of an error without the path of the request, and
// without its segments in quotes, which are most likely the values of parameters.
func (d *Difference) withoutPath(body []byte) string {
	text := strings.ReplaceAll(string(body), d.Request.URL.Path, "/")
	for segment := range strings.SplitSeq(d.Request.URL.EscapedPath(), "/") {
		segment, _ = url.PathUnescape(segment)
		escaped := strings.Trim(strconv.Quote(strconv.Quote(segment)), `\"`) // as by %q, in JSON
		text = strings.NewReplacer(`"`+segment, `"`, `"`+escaped, `"`).Replace(text)
	}
	return text
}

// oddness returns a number that is the smaller, the more likely it is that a
// difference matters.
func (d *Difference) oddness() int {
	switch {
	case d.Kind == OtherMiddleware:
		if old, now := d.change(); slices.ContainsFunc(slices.Concat(old, now), isGuard) {
			return -1
		}
		return 0
	case d.Kind == OtherHandler && isGuard(string(d.Old.Body)) && !isGuard(string(d.Now.Body)):
		return -1 // a login around the handler, perhaps
	case d.special():
		return 2
	case d.Old.succeeded() || d.Now.succeeded():
		return 0
	}
	return 1
}

// special reports whether routers differ in requests like this one: in methods
// without a route of their own, such as HEAD and PROPFIND, in odd spellings of a
// path, and in the methods that they list in Allow.
func (d *Difference) special() bool {
	switch d.Request.Method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return true
	}
	u := d.Request.URL
	clean := path.Clean(u.Path)
	odd := u.RawPath != "" || clean != u.Path && clean+"/" != u.Path || u.Path == "//" || strings.Contains(d.Request.RequestURI, "%2")
	header, _ := otherHeader(d.Old, d.Now)
	return odd || d.Kind == OtherHeader && header == "Allow"
}

// automatic reports whether routers respond to a method by themselves.
func automatic(method string) bool { return method == http.MethodHead || method == http.MethodOptions }

// place returns the route that a difference is about, or where in the program it
// is, if no route served the request.
func (d *Difference) place() string {
	from := d.origin()
	old, now := patternPath(d.Old.Pattern), patternPath(d.Now.Pattern)
	switch {
	case old == now && old != "":
		return old
	case from.route == "":
		return fmt.Sprintf("%q", []string{d.Request.Host, withoutNumbers(d.Request.URL.Path), old, now})
	case old == "" && now == "" && !from.beside, old+now == from.route:
		return from.route
	}
	return fmt.Sprintf("%q", []string{from.scope, old, now})
}

// origin returns the route that the request was made for; the zero value if it
// wasn't made by Requests.
func (d *Difference) origin() origin {
	from, _ := d.Request.Context().Value(originKey{}).(origin)
	return from
}

// patternPath returns a pattern without its methods, the names of its parameters
// and a final {$}, so that GET /a/{x} and /a/:id are the same.
func patternPath(text string) string {
	_, text = cutMethods(strings.TrimSuffix(text, "{$}"))
	if p, err := pattern.Parse(text); err == nil && text != "" {
		return p.Shape()
	}
	return text
}

// withoutNumbers replaces the segments of a path that hold a digit, which are
// most likely the values of parameters.
func withoutNumbers(text string) string {
	segments := strings.Split(text, "/")
	for i, s := range segments {
		if strings.ContainsAny(s, "0123456789") {
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}
