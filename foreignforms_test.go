package muxmaster_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// Forms of other routers that would never match, or not as meant, are refused
// with a text that says what to write instead.
var foreignForms = []struct{ pattern, hint string }{ // hint: a regular expression
	{"/images*", `/images/(\*\w+|\{\w+\.\.\.\})`},
	{"/a/{b}*", `\*\w+|\{\w+\.\.\.\}`},
	{"/a/*", `\*\w+|\{\w+\.\.\.\}`},
	{"/*", `\*\w+|\{\w+\.\.\.\}`},
	{"/a/**", `\*\w+|\{\w+\.\.\.\}`},
	{"/prefix...", `\{\w+\.\.\.\}`},
	{"/prefix/...", `\{\w+\.\.\.\}`},
	{"/a/{b}...", `\{b\.\.\.\}`},
	{"/a/*{b}", `\{b\.\.\.\}`},
	{"/a*{b}", `a/\{b\.\.\.\}`},
	{"/f/+{rest:[a-z]+}", `\{rest\.\.\.\}`},
	{"/f/+{rest}", `\{rest\.\.\.\}`},
	{"/{path:.*}", `\{path\.\.\.\}.*\{path\}`},
	{"/{path:.+}", `\{path\.\.\.\}.*\{path\}`},
	{"/a/{path:.*}", `\{path\.\.\.\}.*\{path\}`},
	{"/a/{path:.+}/b", `\{path\}`},
	{"/q?x=1", `(?i)query`},
	{"/w#f", `(?i)fragment|%23`},
	{"/a?", `(?i)query|optional`},
	{"/users/:id?", `(?i)optional|query|two routes`},
	{"/users/{id?}", ``},
	{"/users/?:id", `(?i)optional`},
	{"/:file.:ext", `\{file\}\.\{ext\}`},
	{"/:file.{ext}", `\{file\}\.\{ext\}`},
	{"/{file}.:ext", `\{file\}\.\{ext\}`},
	{`/users/(\d+)`, `\{\w+:`},
	{`/users/([a-z]+)/x`, `\{\w+:`},
	{`/users/:id(\d+)`, `\{id:`},
	{`/users/:id([0-9]+)/x`, `\{id:`},
	{"/users/{id:integer}", `\{id:int\}`},
	{"/users/{id:number}/x", `\{id:int\}`},
	{"/users/:id<int>", `\{id`},
	{`/users/:id|^\d+$`, `\{id:`},
	{"/users/:id:int", `\{id:int\}`},
	{"/users/#id^[0-9]$", `\{id:`},
	{"/users/<id>", `\{id\}`},
	{`/users/<id:\d+>`, `\{id:\\d\+\}`},
	{"/users/<int:id>", `\{id`},
	{"/users/[id]", `\{id\}`},
	{`/test\:action`, `%3A`},
	{`/v1/{id}\:cancel`, `%3A|\{id\}:cancel`},
	{"/{}", ``},
	{"/{id", ``},
	// Of Handle alone.
	{"GET|POST /x", `GET,POST`},
	{"GET, POST /x", ``},
	{"https://example.com/x", `example\.com/x`},
	{"http://example.com/x", `example\.com/x`},
	{"*.example.com/x", `\{\w+(\.\.\.)?\}\.example\.com`},
	{":sub.example.com/x", `\{sub\}\.example\.com`},
	{"GET *.example.com/x", `\{\w+(\.\.\.)?\}\.example\.com`},
	{"GET :sub.example.com/x", `\{sub\}\.example\.com`},
}

func TestForeignForms(t *testing.T) {
	for _, c := range foreignForms {
		check := func(method, pattern, text string) {
			t.Helper()
			quoted := strings.Trim(fmt.Sprintf("%q", c.pattern), `"`)
			switch {
			case text == "":
				t.Errorf("%s(%q): accepted", method, pattern)
			case !strings.HasPrefix(text, "muxmaster: "), !strings.Contains(text, quoted):
				t.Errorf("%s(%q): the text %q", method, pattern, text)
			case !regexp.MustCompile(c.hint).MatchString(strings.Replace(text, quoted, "", 1)):
				t.Errorf("%s(%q): the text %q doesn't say what to write instead: %s", method, pattern, text, c.hint)
			}
		}
		m := muxmaster.New()
		m.GET("/ok", tell("ok"))
		err := m.TryHandle(c.pattern, tell(""))
		if err == nil {
			t.Errorf("TryHandle(%q): accepted", c.pattern)
			continue
		}
		check("TryHandle", c.pattern, err.Error())
		if text := panics(func() { m.Handle(c.pattern, tell("")) }); text != err.Error() {
			t.Errorf("%q: Handle panics with %q, TryHandle says %q", c.pattern, text, err)
		}
		check("HandleFast", c.pattern, panics(func() { m.HandleFast(c.pattern, fastValues) }))
		check("Group.Handle", c.pattern, panics(func() { m.Group("/g").Handle(c.pattern, tell("")) }))
		if c.pattern[0] == '/' {
			check("TryHandle", "PUT "+c.pattern, fmt.Sprint(m.TryHandle("PUT "+c.pattern, tell(""))))
			check("GET", c.pattern, panics(func() { m.GET(c.pattern, tell("")) }))
			check("ANY", c.pattern, panics(func() { m.ANY(c.pattern, tell("")) }))
			check("GETFast", c.pattern, panics(func() { m.GETFast(c.pattern, fastValues) }))
			check("Method", c.pattern, panics(func() { m.Method("PUT,POST", c.pattern, tell("")) }))
			check("Group.GET", c.pattern, panics(func() { m.Group("/g").GET(c.pattern, tell("")) }))
			check("Mount", c.pattern, panics(func() { m.Mount(c.pattern, tell("")) }))
			check("Group", c.pattern, panics(func() { m.Group(c.pattern) }))
		}
		n := 0
		for range m.Routes() {
			n++
		}
		if got := get(t, m, "GET", "/ok"); got != "ok" || n != 1 {
			t.Errorf("%q: afterwards /ok: %s, %d routes", c.pattern, got, n)
		}
	}
}

// Their neighbours are patterns as ever: text is text where no router means
// more.
func TestFormsThatStay(t *testing.T) {
	for _, c := range [][2]string{
		{"/a+b", "/a+b"}, {"/c++", "/c++"}, {"/a*b", "/a*b"}, {"/a.b", "/a.b"}, {"/a..b", "/a..b"}, {"/a$b", "/a$b"}, {"/~user", "/~user"},
		{"/a=b;c", "/a=b;c"}, {"/a@b", "/a@b"}, {"/a,b", "/a,b"}, {"/a!b", "/a!b"}, {"/a'b", "/a'b"}, {"/%3Fx", "/%3Fx"}, {"/%23x", "/%23x"}, {"/a%2A", "/a*"},
		{"/%3Aid", "/:id"}, {"/{id:.{1,3}}", "/ab"}, {"/{id:[a-z.]*}", "/ab"}, {"/{id:(?s).+}", "/ab"}, {"/{id}:cancel", "/5:cancel"}, {"/%28a%29", "/(a)"}, {"/%5Bid%5D", "/[id]"},
	} {
		m := muxmaster.New()
		if err := m.TryHandle(c[0], tell("served")); err != nil {
			t.Errorf("%q: %v", c[0], err)
			continue
		}
		if got := get(t, m, "GET", c[1]); got != "served" {
			t.Errorf("%q, %s: got %s", c[0], c[1], got)
		}
	}
}
