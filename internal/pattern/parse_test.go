package pattern

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// dump returns what a pattern means: methods, host, segments (literal text
// quoted) and how it ends.
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
			case !part.Param:
				fmt.Fprintf(&b, "%q", part.Text)
			case part.Expr == "":
				fmt.Fprintf(&b, "{%s}", part.Text)
			default:
				fmt.Fprintf(&b, "{%s ~ %s}", part.Text, part.Expr)
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
		{"h:/x", `h:/"x"`},
		{"/users/", `/"users" all `},
		{"/users/{$}", `/"users" slash`},
		{"/users/:id", `/"users"/{id}`},
		{"/users/{id}", `/"users"/{id}`},
		{"/users/{id}/posts", `/"users"/{id}/"posts"`},
		{"/users/*rest", `/"users" all rest with its slash`},
		{"/users/{rest...}", `/"users" all rest`},
		{"/{id:[0-9]+}", `/{id ~ [0-9]+}`},
		{"/{id:int}", `/{id ~ -?[0-9]+}`},
		{"/v{id:int}.x", `/"v"{id ~ -?[0-9]+}".x"`},
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
		{"/a%2Ab/a.b/c++/~x", `/"a*b"/"a.b"/"c++"/"~x"`},
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

func TestParsePath(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/", " slash"},
		{"/users/", `/"users" slash`},
		{"/users/{$}", `/"users" slash`},
		{"/users/{id}/", `/"users"/{id} slash`},
		{"/users/*rest", `/"users" all rest with its slash`},
		{"GET,POST /x", `GET,POST /"x"`},
		{"/x y", `/"x y"`},
		{"example.com/x", `example.com/"x"`},
		{"GET example.com/", "GET example.com slash"},
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

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "the pattern is empty; write at least /"},
		{"x", "the path must begin with /"},
		{"GET", "the path must begin with /"},
		{"GET x", "the path must begin with /"},
		{"G(T /x", `"G(T" is not a method`},
		{"/a b", "a space in a path is written %20"},
		{"example.com/a b", "a space in a path is written %20"},
		{"GET,, /x", "a method is missing"},
		{"GET,GET /x", "the method GET is listed twice"},
		{"GET|POST /x", "GET,POST"},
		{"* /x", "every method"},
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
		{"/{id:(}", "is not valid RE2"},
		{"/{id:a(?!b)}", "is not valid RE2"},
		{"/{id:)(}", "is not valid RE2"},
		{`/{id:\p{Nope}}`, "is not valid RE2"},
		{"/{a:[0-9]+}%FF{b}", "must be UTF-8"},
		{"/{a:[0-9]+}\xff{b}", "must be UTF-8"},
		{"/{a:" + strings.Repeat("(", 998) + "x" + strings.Repeat(")", 998) + "}-{b}", "can't be combined"},
		{"/{id:[0-9}", "a { is not closed"},
		{"/{id", "a { is not closed"},
		{"/{id/x}", "a { is not closed"},
		{"/{a}b}", "has a } without its {"},
		{"/{a}{b}", "needs text between its parameters"},
		{"/{$}/x", "{$} must be the last segment"},
		{"/x{$}", "{$} must be a whole segment"},
		{"/x{a...}", "{a...} must be a whole segment"},
		{"/*a/b", "the catch-all *a must be the last segment; inside a path it is written {a...}"},
		{"/x{a...}/b", "{a...} must be a whole segment"},
		{"/{a...}/x/{b...}/y", "the catch-all {b...} is the second one inside the path"},
		{"/{a...}/{a...}", `the parameter name "a" is used twice`},
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
			names := slices.Clone(p.Names())
			slices.Sort(names)
			if p.Text != text || !strings.HasSuffix(text, p.Path) || p.Path[0] != '/' || len(slices.Compact(names)) != len(p.Names()) || slices.Contains(names, "") {
				t.Fatalf("%q: %+v with the names %q", text, p, names)
			}
			for _, seg := range p.Segs {
				for i, part := range seg {
					if i > 0 && part.Param == seg[i-1].Param {
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
			literal := ""
			for _, seg := range p.Segs {
				if seg.Kind() == Literal {
					literal += "/" + seg[0].Text
				}
			}
			if p.Static() && (literal != strings.TrimSuffix(p.Path, "/") || p.End == All) {
				t.Fatalf("%q is static", text)
			}
		}
	})
}
