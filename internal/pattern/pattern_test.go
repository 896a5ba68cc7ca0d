package pattern

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// dump writes what a pattern means: methods, host, segments (literal text quoted),
// how it ends.
func dump(p *Pattern) string {
	var b strings.Builder
	if p.Methods != nil {
		fmt.Fprintf(&b, "%s ", strings.Join(p.Methods, ","))
	}
	b.WriteString(p.Host)
	for _, seg := range p.Segs {
		b.WriteString("/")
		for _, part := range seg {
			switch {
			case part.Name == "":
				fmt.Fprintf(&b, "%q", part.Text)
			case part.Expr == "":
				fmt.Fprintf(&b, "{%s}", part.Name)
			default:
				fmt.Fprintf(&b, "{%s ~ %s}", part.Name, part.Expr)
			}
		}
	}
	switch p.End {
	case Slash:
		b.WriteString(" slash")
	case All:
		b.WriteString(" all " + p.Rest)
		if p.RestSlash {
			b.WriteString(" with its slash")
		}
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/", " all "},
		{"/{$}", " slash"},
		{"/users", `/"users"`},
		{"/users/", `/"users" all `},
		{"/users/{$}", `/"users" slash`},
		{"/users/:id", `/"users"/{id}`},
		{"/users/{id}", `/"users"/{id}`},
		{"/users/{id}/posts", `/"users"/{id}/"posts"`},
		{"/users/*rest", `/"users" all rest with its slash`},
		{"/users/{rest...}", `/"users" all rest`},
		{"/{id:[0-9]+}", `/{id ~ [0-9]+}`},
		{"/{id:[0-9]{2,4}}", `/{id ~ [0-9]{2,4}}`},
		{`/{id:\d+\}}`, `/{id ~ \d+\}}`},
		{"/{id:[}]+}", `/{id ~ [}]+}`},
		{"/{id:[]}]+}", `/{id ~ []}]+}`},
		{"/{id:[^]}]+}", `/{id ~ [^]}]+}`},
		{"/{id:[[:alpha:]}]+}", `/{id ~ [[:alpha:]}]+}`},
		{"/{id:a/b}", `/{id ~ a/b}`},
		{"/{id:a:b}", `/{id ~ a:b}`},
		{"/user_:name", `/"user_"{name}`},
		{"/{name}.json", `/{name}".json"`},
		{"/v{major}.{minor:[0-9]+}", `/"v"{major}"."{minor ~ [0-9]+}`},
		{"/{id}:cancel", `/{id}":cancel"`},
		{"/%7Bid%7D/%3Ax/%2Ay", `/"{id}"/":x"/"*y"`},
		{"/a%2Fb/%zz/100%", `/"a/b"/"%zz"/"100%"`},
		{"/a//b", `/"a"/""/"b"`},
		{"/a/./..", `/"a"/"."/".."`},
		{"/ü/:naïve", `/"ü"/{naïve}`},
		{"/{a-b_1}", `/{a-b_1}`},
		{"/a*b/a.b/c++/~x", `/"a*b"/"a.b"/"c++"/"~x"`},
		{"GET /x", `GET /"x"`},
		{"GET  \t/x", `GET /"x"`},
		{" /x", `/"x"`},
		{"GET,POST,BREW /x", `GET,POST,BREW /"x"`},
		{"M-1!#$%&'*+.^_`~ /x", "M-1!#$%&'*+.^_`~ /\"x\""},
		{"Example.COM./x", `example.com/"x"`},
		{"GET example.com/", "GET example.com all "},
		{"example.com:80/x", `example.com:80/"x"`},
		{"[::1]/x", `::1/"x"`},
		{"{h}.Example.com/{x}", `{h}.example.com/{x}`},
		{"{h...}.example.com/{x}", `{h...}.example.com/{x}`},
		{"{h}./x", `{h}/"x"`},
		{"CONNECT /a//..", `CONNECT /"a"/""/".."`},
	} {
		p, err := Parse(c.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.text, err)
		} else if got := dump(p); got != c.want || p.Text != c.text || !strings.HasSuffix(c.text, p.Path) {
			t.Errorf("Parse(%q) = %s with the path %q, want %s", c.text, got, p.Path, c.want)
		}
	}
}

// ParsePath differs in the trailing slash, and takes no hosts.
func TestParsePath(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/", " slash"},
		{"/users/", `/"users" slash`},
		{"/users/{$}", `/"users" slash`},
		{"/users/{id}/", `/"users"/{id} slash`},
		{"/users/*rest", `/"users" all rest with its slash`},
		{"GET,POST /x", `GET,POST /"x"`},
		{"/x y", `/"x y"`},
		{"example.com/x", "error"},
		{"GET example.com/x", "error"},
		{"GET", "error"},
		{"", "error"},
	} {
		got := "error"
		if p, err := ParsePath(c.text); err == nil {
			got = dump(p)
		}
		if got != c.want {
			t.Errorf("ParsePath(%q) = %s, want %s", c.text, got, c.want)
		}
	}
}

// An error says what is wrong and, where that is known, what to write.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "the pattern is empty; write at least /"},
		{"x", "the path must begin with /"},
		{"GET", "the path must begin with /"},
		{"GET x", "the path must begin with /"},
		{"G(T /x", `"G(T" is not a method`},
		{"GET,, /x", "a method is missing"},
		{"GET,GET /x", "the method GET is listed twice"},
		{"GET|POST /x", "GET,POST"},
		{"GET, POST /x", "a method is missing"},
		{"/:", "needs a name"},
		{"/{}", "the parameter {} needs a name"},
		{"/{...}", "the parameter {...} needs a name"},
		{"/{:[0-9]+}", "needs a name"},
		{"/*", "a catch-all needs a name"},
		{"/:a.json", "write {a}.json"},
		{"/{1a}", `bad parameter name "1a"`},
		{"/{a b}", `bad parameter name "a b"`},
		{"/:a/:a", `the parameter name "a" is used twice`},
		{"/{a}/*a", `the parameter name "a" is used twice`},
		{"{a}.com/{a}", `the parameter name "a" is used twice`},
		{"/{id:}", "the expression of {id:} is empty"},
		{"/{id:(}", "is not RE2"},
		{"/{id:[0-9}", "a { is not closed"},
		{"/{id", "a { is not closed"},
		{"/{id/x}", "a { is not closed"},
		{"/{a}b}", "has a } without its {"},
		{"/{a}{b}", "needs text between its parameters"},
		{"/{$}/x", "{$} must be the last segment"},
		{"/x{$}", "{$} must be a whole segment"},
		{"/x{a...}", "{a...} must be a whole segment"},
		{"/*a/b", "the catch-all *a must be the last segment"},
		{"/{a...}/b", "the catch-all {a...} must be the last segment"},
		{"GET /a//b", "the path can never match"},
		{"GET,CONNECT /a/../b", "the path can never match"},
		{"{h/x", "a parameter of a host is a whole label"},
		{"GET a b/x", `"a b" is not a host`},
		{"{a}b.com/x", "a parameter of a host is a whole label"},
		{"{a:x}.com/x", "a parameter of a host is a whole label"},
		{"a.{b...}.com/x", `"{b...}" must be the first label of the host`},
		{"{a}..com/x", "a label is empty"},
		{"{a}.com:80/x", "ports are not compared"},
		{"https://example.com/x", "a pattern has no scheme; write example.com/x"},
		{"*.example.com/x", "{sub...}.example.com"},
		{"a*b.com/x", "a label of any text is written {name}"},
		{":sub.example.com/x", "a parameter of a host is written {name}"},
		{"GET/x", "write a space between method and path"},
		{strings.Repeat("a", 1<<16) + ".com/x", "longer than 65535 bytes"},
	} {
		p, err := Parse(c.text)
		if err == nil {
			t.Errorf("Parse(%.80q) = %s, want an error", c.text, dump(p))
		} else if !strings.Contains(err.Error(), c.want) || strings.HasPrefix(err.Error(), "muxmaster") {
			t.Errorf("Parse(%.80q): %q, want %q", c.text, err, c.want)
		}
	}
}

// Patterns of one line have the same shape; those of different lines have not.
func TestShape(t *testing.T) {
	shapes := map[string]int{}
	for i, line := range []string{
		"/x|GET /x|/%78", "/x/|/x/{r...}|/x/*r", "/x/{$}", "/{a}|/:b", "/{a}/", "/{a}/{$}", "/{a:[0-9]+}|/{b:[0-9]+}", "/{a:[0-9]*}",
		"/v{a}|/v:b", "/{a}v", "/{a}.{b}|/{c}.{d}", "/a%2Fb", "/a/b", "/%7Ba%7D", "/%7B%7D", "/%2A", "/%252A", "a.com/x|A.com./x", "b.com/x", "{a}.com/x|{b}.com/x", "{a...}.com/x", "a.com:80/x",
	} {
		for _, text := range strings.Split(line, "|") {
			p, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if k, ok := shapes[p.Shape()]; ok && k != i {
				t.Errorf("%s has the shape %q of line %d", text, p.Shape(), k)
			} else if !ok && text != strings.Split(line, "|")[0] {
				t.Errorf("%s has the shape %q, unlike the line %s", text, p.Shape(), line)
			}
			shapes[p.Shape()] = i
		}
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		p, q   string
		method string
		ok     bool
	}{
		{"/x", "/x", "", true}, {"GET /x", "/x", "", false}, {"/x", "GET /x", "", false}, {"GET /x", "POST /x", "", false},
		{"GET,POST /x", "PUT,POST /x", "POST", true}, {"GET /x", "HEAD /x", "", false},
	} {
		p, _ := Parse(c.p)
		q, _ := Parse(c.q)
		if method, ok := Overlap(p, q); method != c.method || ok != c.ok {
			t.Errorf("Overlap(%q, %q) = %q, %v", c.p, c.q, method, ok)
		}
	}
}

func TestStatic(t *testing.T) {
	for text, want := range map[string]string{
		"/x": "/x", "/x/y": "/x/y", "/x/{$}": "/x/", "/{$}": "/", "/%78": "/x", "/a%20b": "/a b", "a.com/x": "/x",
		"/x/": "", "/x/{y}": "", "/x/*y": "", "/a%2Fb": "", "/a//b": "", "/a/./b": "", "/a/..": "", "/v{x}": "",
	} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := p.Static(); got != want || ok != (want != "") {
			t.Errorf("%s: Static() = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestNames(t *testing.T) {
	p, err := Parse("GET {h...}.{i}.com/{a}/x/{b}.{c:[0-9]+}/*rest")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Names(), " "); got != "h i a b c rest" {
		t.Errorf("Names() = %s", got)
	}
	if p, _ := Parse("/x/"); p.Names() != nil {
		t.Errorf("Names() = %q, want none", p.Names())
	}
}

func TestSegmentKind(t *testing.T) {
	for text, want := range map[string]Kind{"a": Literal, "a%2Fb": Literal, "{a}": Plain, ":a": Plain, "{a:x}": Constrained, "a{b}": Mixed, "{a:x}b": Mixed, "a:b": Mixed, "{a}.{b}": Mixed} {
		p, err := Parse("/" + text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Segs[0].Kind(); got != want {
			t.Errorf("%s has the kind %d, want %d", text, got, want)
		}
	}
}

func TestHost(t *testing.T) {
	for _, c := range [][3]string{ // a host, Host, HostPort
		{"", "", ""}, {"example.com", "example.com", "example.com"}, {"EXAMPLE.com.", "example.com", "example.com"},
		{"example.com:80", "example.com", "example.com:80"}, {"Example.com.:80", "example.com", "example.com:80"}, {"example.com:", "example.com", "example.com:"},
		{"[::1]", "::1", "::1"}, {"[::1]:80", "::1", "::1:80"}, {"::1", "::1", "::1"}, {"[]", "[]", "[]"}, {".", ".", "."}, {"\u212Aelvin", "\u212Aelvin", "\u212Aelvin"},
	} {
		if host, port := Host(c[0]), HostPort(c[0]); host != c[1] || port != c[2] {
			t.Errorf("Host(%q) = %q, HostPort %q, want %q and %q", c[0], host, port, c[1], c[2])
		}
	}
	if n := testing.AllocsPerRun(100, func() { Host("example.com.:80") }); n > 0 {
		t.Errorf("Host allocates %v times", n)
	}
}

func TestMatchHost(t *testing.T) {
	for _, c := range []struct {
		pattern, host string
		want          bool
	}{
		{"a.com/", "a.com", true}, {"a.com/", "b.com", false}, {"{h}.com/", "a.com", true}, {"{h}.com/", ".com", false}, {"{h}.com/", "a.b.com", false}, {"{h}.com/", "com", false},
		{"{h...}.com/", "a.b.com", true}, {"{h...}.com/", "com", false}, {"{h...}.com/", "a..com", false}, {"a.{h}/", "a.x", true}, {"a.{h}/", "b.x", false}, {"{h...}/", "x", true}, {"{h...}/", "", false},
	} {
		p, err := Parse(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.MatchHost(c.host); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.host, got)
		}
	}
}

// What is parsed holds together, whatever the text.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"/", "GET,POST {h}.com/a/{b:[0-9]{2}}/*c", "/v{a}.{b}/{c...}", "/a:b/:c/{$}", "/{a:[}]}x", "/%zz%2F", "CONNECT /a//b/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (*Pattern, error){Parse, ParsePath} {
			p, err := parse(text)
			if err != nil {
				continue
			}
			names := p.Names()
			slices.Sort(names)
			if p.Text != text || !strings.HasSuffix(text, p.Path) || p.Path[0] != '/' || len(slices.Compact(names)) != len(p.Names()) || slices.Contains(names, "") {
				t.Fatalf("%q: %+v with the names %q", text, p, names)
			}
			for _, seg := range p.Segs {
				for i, part := range seg {
					if i > 0 && (part.Name == "") == (seg[i-1].Name == "") {
						t.Fatalf("%q: %+v needs no two parts", text, seg)
					}
				}
			}
			// The path alone means the same, unless it looks like a method with a path,
			// or is one that only CONNECT may have.
			if !strings.ContainsAny(p.Path, " \t") && !slices.Contains(p.Methods, "CONNECT") {
				again, err := parse(p.Path)
				if err != nil {
					t.Fatalf("%q: the path alone: %v", text, err)
				}
				if got, want := dump(again), dump(&Pattern{Segs: p.Segs, End: p.End, Rest: p.Rest, RestSlash: p.RestSlash}); got != want {
					t.Fatalf("%q: the path means %s, alone %s", text, want, got)
				}
			}
			if path, ok := p.Static(); ok && p.End == All {
				t.Fatalf("%q: Static() = %q", text, path)
			}
		}
	})
}

// plainSegment only spares text the look for foreign spellings.
func FuzzForeign(f *testing.F) {
	for _, seg := range []string{"users", "{id}", ":id", "*rest", "{rest...}", "<id>", "[id]", "%s", "a?", "{id:int}", "a...", "...", "x*", "+"} {
		f.Add(seg)
	}
	f.Fuzz(func(t *testing.T, seg string) {
		if seg == "" || strings.Contains(seg, "/") || !plainSegment(seg) {
			return
		}
		for _, s := range spellings {
			if s.segment.MatchString(seg) {
				t.Errorf("%q is called plain, but matches %v", seg, s.segment)
			}
		}
	})
}
