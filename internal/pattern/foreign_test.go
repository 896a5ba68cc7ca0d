package pattern

import (
	"strconv"
	"strings"
	"testing"
)

// TestForeign checks the advice in the error for each syntax of other routers.
func TestForeign(t *testing.T) {
	for _, c := range []struct{ segment, advice string }{
		{"<id>", "{id}"},
		{`<id:\d+>`, `{id:\d+}`},
		{"[id]", "{id}"},
		{"[...rest]", "{rest...}"},
		{"[[...rest]]", "{rest...}"},
		{"%s", "{name}"},
		{"%d", "{name}"},
		{"*", "/users/*path or /users/{path...}"},
		{"**", "/users/*path or /users/{path...}"},
		{"{*rest}", "{rest...}"},
		{"{**rest}", "{rest...}"},
		{"{rest*}", "{rest...}"},
		{"{rest:*}", "{rest...}"},
		{"{rest:**}", "{rest...}"},
		{":id?", "register the path without it as well"},
		{"{id?}", "register the path without it as well"},
		{"{id}?", "register the path without it as well"},
		{`{id:\d+}?`, "register the path without it as well"},
		{"?:id", "register the path without it as well"},
		{":id<int>", "{id:int}"},
		{":id<guid>", "{id:uuid}"},
		{":id<len(3)>", "{id:[0-9]+}"},
		{"<int:id>", "{id:int}"},
		{`:id(\d+)`, `{id:\d+}`},
		{`:id|^\d+$`, `{id:^\d+$}`},
		{":id:int", "{id:int}"},
		{"#id^[0-9]$", "{id:[0-9]}"},
		{`(\d+)`, `{name:\d+}`},
		{"{id:integer}", "{id:int}"},
		{"{id:int64}", "{id:int}"},
		{"{id:uint}", "{id:int}"},
		{"v{id:digits}.x", "{id:[0-9]+}"},
		{"{name:string}", "write {name} for any text"},
		{"{id:guid}", "{id:uuid}"},
		{"{id:slug}", "an RE2 expression"},
		{"{rest:.*}", "write {rest...} for the rest of the path, {rest} for one segment"},
		{"{rest:.+}", "write {rest...}"},
		{"{rest:(.*)}", "write {rest...}"},
		{"{rest:.*?}", "write {rest...}"},
		{"+", "{rest...}"},
		{"+{rest}", "{rest...}"},
		{"+{rest:[a-z]+}", "{rest...}"},
		{"*{rest}", "written {rest...}"},
		{"*{rest:[a-z]+}", "written {rest...}"},
		{"api*{rest}", "/api/{rest...}"},
		{"...", "written {rest...}"},
		{"{rest}...", "written {rest...}"},
		{"prefix...", "prefix/{rest...}"},
		{"images*", "/images/*rest"},
		{"a*b", "/a/*b"},
		{`a\:b`, "%3A"},
		{`{id}\:b`, "%3A"},
		{"a?b=c", "a path has no query"},
		{"{id}?b=c", "a path has no query"},
		{"{id:a?}?b=c", "a path has no query"},
		{"a#b", "a path has no fragment"},
		{"{id}#b", "a path has no fragment"},
	} {
		if err := Foreign(c.segment); err == nil || !strings.Contains(err.Error(), c.advice) || !strings.HasPrefix(err.Error(), strconv.Quote(c.segment)) {
			t.Errorf("Foreign(%q) = %v, want %q", c.segment, err, c.advice)
		}
	}
	for _, segment := range []string{
		"", "a", "a.b", "a..b", "c++", "a+b", "{a}+{b}", "{a}*{b}", "..", "#", "#id", "a$b", "~a", "a=b;c", "%3Fx", "%20", "100%", "{id}", ":id", "*rest", "{rest...}", "{id:[0-9]+}", `{id:\d+}`, "{id:.{1,3}}", "{id:[a-z.]*}",
		"{id:(?s).+}", "{id:a|b}", "{id}:cancel", "v{a}.{b}", "{a:x?}", "{a:#}", "{a:x{1,2}?}", "a:b", "{id:interval}", "{id:int}", "v{id:uuid}.x",
	} {
		if err := Foreign(segment); err != nil {
			t.Errorf("Foreign(%q) = %v, want none", segment, err)
		}
	}
}

func FuzzForeign(f *testing.F) {
	for _, seg := range []string{"users", "{id}", ":id", "*rest", "{rest...}", "<id>", "[id]", "%s", "a?", "{id:int}", "a...", "...", "x*", "+"} {
		f.Add(seg)
	}
	f.Fuzz(func(t *testing.T, seg string) {
		if seg == "" || strings.Contains(seg, "/") || !plainSegment(seg) {
			return
		}
		for _, re := range spellingRegexps() {
			if re.MatchString(seg) {
				t.Errorf("%q is called plain, but matches %v", seg, re)
			}
		}
	})
}

// What the errors suggest for a segment with several parameters is a pattern,
// and has them all.
func TestColonNames(t *testing.T) {
	for _, c := range []struct{ segment, advice string }{
		{":file.:ext", "{file}.{ext}"},
		{":from-:to", "{from}-{to}"},
		{":a-b-:c", "{a-b}-{c}"},
		{":id_:page.html", "{id}_{page}.html"},
		{"cms_:id(.+)_:page([0-9]+).html", "{id:.+}_{page:[0-9]+}.html"},
		{":id:cancel", "{id}:cancel"},
		{":a;:b", "{a};{b}"},
		{":name.{ext}", "{name}.{ext}"},
		{"{name}.:ext", "{name}.{ext}"},
		{"v{major}-:minor", "v{major}-{minor}"},
		{"@:user{x}", "@{user}{x}"},
	} {
		_, err := ParsePath("/" + c.segment)
		if err == nil || !strings.Contains(err.Error(), " "+c.advice) {
			t.Errorf("%s: error %v, want %s", c.segment, err, c.advice)
		}
		if _, err := ParsePath("/" + c.advice); err != nil && c.segment != "@:user{x}" {
			t.Errorf("%s: the advice is no pattern: %v", c.segment, err)
		}
	}
	for _, segment := range []string{"{id}:cancel", "{id}:{op}", "id:{id}", "urn:isbn:{id}", "{h}:30", "{t:a-:b}", "{id}.json:render", "a:{x}:b"} {
		if _, err := ParsePath("/" + segment); err != nil {
			t.Errorf("%s: %v", segment, err)
		}
	}
}
