package muxmaster_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// A patternCase is a pattern alone in a router, a request target, and the
// values that it is matched with; "404" if it is not.
type patternCase struct {
	pattern, target, want string
}

// patternCases have the same meaning with every registration method.
var patternCases = []patternCase{
	{"/users", "/users", ``},
	{"/users", "/users?id=/x/../y", ``},
	{"/users", "/user", `404`},
	{"/users", "/userss", `404`},
	{"/users", "/Users", `404`},
	{"/users", "/users/", `404`},
	{"/users", "/users/x", `404`},
	{"/users", "/%75sers", ``},
	{"/users", "/users%2F", `404`},
	{"/users", "/users%00", `404`},
	{"/%75sers", "/users", ``},
	{"/a%2Fb", "/a%2Fb", ``},
	{"/a%2Fb", "/a%2fb", ``},
	{"/a%2Fb", "/a/b", `404`},
	{"/a%2Fb", "/a%FFb", `404`},
	{"/a%2Fb/:x", "/a%2Fb/c", `x="c"`},
	{"/a%2Fb/:x", "/a/b/c", `404`},
	{"/a%FFb", "/a%FFb", ``},
	{"/a%FFb", "/a%2Fb", `404`},
	{"/a/b", "/a%2Fb", `404`},
	{"/a%20b", "/a%20b", ``},
	{"/a+b", "/a+b", ``},
	{"/a+b", "/a%20b", `404`},
	{"/100%", "/100%25", ``},
	{"/ü", "/%C3%BC", ``},
	{"/ü", "/ü", ``},
	{"/%C3%BC", "/ü", ``},
	{"/日本語/:x", "/日本語/に", `x="に"`},
	{"/a.b", "/a.b", ``},
	{"/a.b", "/axb", `404`},
	{"/%7Bid%7D", "/%7Bid%7D", ``},
	{"/%7Bid%7D", "/{id}", ``},
	{"/%7Bid%7D", "/x", `404`},
	{"/%3Aid", "/:id", ``},
	{"/%3Aid", "/x", `404`},
	{"/a%2Ab", "/a*b", ``},
	{"/%2Aa", "/*a", ``},
	{"/%2Aa", "/b/c", `404`},
	{"/12345678", "/12345678", ``},
	{"/12345678", "/1234567", `404`},
	{"/12345678", "/12345678%00", `404`},
	{"/1234567/:x", "/1234567/a", `x="a"`},
	{"/1234567/:x", "/1234567%00/a", `404`},
	{"/12345678/:x", "/12345678/a", `x="a"`},
	{"/12345678/:x", "/123456789/a", `404`},
	{"/123456789abcdef0/:x", "/123456789abcdef0/a", `x="a"`},
	{"/123456789abcdef0/:x", "/123456789abcdef01/a", `404`},
	{"/123456789abcdef01/:x", "/123456789abcdef01/a", `x="a"`},
	{"/123456789abcdef01/:x", "/123456789abcdef0/a", `404`},
	{"/12345678_middle_12345678/:x", "/12345678_middle_12345678/a", `x="a"`},
	{"/12345678_middle_12345678/:x", "/12345678_Middle_12345678/a", `404`},
	{"/12345678_middle_12345678/:x", "/12345678_midddle_12345678/a", `404`},
	{"/12345678_middle_12345678", "/12345678_Middle_12345678", `404`},

	{"/users/:id", "/users/5", `id="5"`},
	{"/users/{id}", "/users/5", `id="5"`},
	{"/users/:id", "/users/5?a=b", `id="5"`},
	{"/users/:id", "/users", `404`},
	{"/users/:id", "/users/", `404`},
	{"/users/{id}", "/users/", `404`},
	{"/users/:id", "/users/5/", `404`},
	{"/users/:id", "/users/5/6", `404`},
	{"/users/:id", "/user/5", `404`},
	{"/users/:id", "/users/a%2Fb", `id="a/b"`},
	{"/users/:id", "/users/%2F", `id="/"`},
	{"/users/:id", "/users/%2F%2F", `id="//"`},
	{"/users/:id", "/users/a%252Fb", `id="a%2Fb"`},
	{"/users/:id", "/users/%25", `id="%"`},
	{"/users/:id", "/users/%2525", `id="%25"`},
	{"/users/:id", "/users/%252e%252e", `id="%2e%2e"`},
	{"/users/:id", "/users/%3F%23", `id="?#"`},
	{"/users/:id", "/users/a%20b", `id="a b"`},
	{"/users/:id", "/users/a+b", `id="a+b"`},
	{"/users/:id", "/users/a;v=1", `id="a;v=1"`},
	{"/users/:id", "/users/a:b@c", `id="a:b@c"`},
	{"/users/:id", "/users/:id", `id=":id"`},
	{"/users/:id", "/users/{id}", `id="{id}"`},
	{"/users/:id", "/users/*", `id="*"`},
	{"/users/:id", "/users/...", `id="..."`},
	{"/users/:id", "/users/.a", `id=".a"`},
	{"/users/:id", "/users/..a", `id="..a"`},
	{"/users/:id", "/users/a..", `id="a.."`},
	{"/users/:id", "/users/%00", `id="\x00"`},
	{"/users/:id", "/users/%FF", `id="\xff"`},
	{"/users/:id", "/users/%FF%2F", `id="\xff/"`},
	{"/users/:id", "/users/%C3%BC", `id="ü"`},
	{"/users/:id", "/users/ü", `id="ü"`},
	{"/users/:id", "/users/%0D%0A", `id="\r\n"`},
	{"/users/:id", "/users/%5C", `id="\\"`},
	{"/:a", "/x", `a="x"`},
	{"/:a", "/", `404`},
	{"/{a}", "/", `404`},
	{"/:a/:b", "/x/y", `a="x" b="y"`},
	{"/:a/:b", "/x%2F/%2Fy", `a="x/" b="/y"`},
	{"/:a/x", "/1/x", `a="1"`},
	{"/:a/x", "/1/y", `404`},
	{"/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}/{j}", "/1/2/3/4/5/6/7/8/9/10",
		`a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8" i="9" j="10"`},
	{"/:a/x/{$}", "/1/x/", `a="1"`},
	{"/:a/x/{$}", "/1/x/y", `404`},
	{"/:_", "/x", `_="x"`},
	{"/{user-id}", "/x", `user-id="x"`},
	{"/:user-id", "/x", `user-id="x"`},
	{"/{名}", "/x", `名="x"`},
	{"/{a1}", "/x", `a1="x"`},

	{"/n/{id:[0-9]+}", "/n/12", `id="12"`},
	{"/n/{id:[0-9]+}", "/n/%31", `id="1"`},
	{"/n/{id:[0-9]+}", "/n/", `404`},
	{"/n/{id:[0-9]+}", "/n/12a", `404`},
	{"/n/{id:[0-9]+}", "/n/a12", `404`},
	{"/n/{id:[0-9]+}", "/n/1%0A", `404`},
	{"/n/{id:[0-9]+}/x", "/n/12/x", `id="12"`},
	{"/n/{id:int}", "/n/12", `id="12"`},
	{"/n/{id:int}/x", "/n/-12/x", `id="-12"`},
	{"/n/{id:int}", "/n/%2D12", `id="-12"`},
	{"/n/{id:int}", "/n/int", `404`},
	{"/n/{id:int}", "/n/-", `404`},
	{"/n/{id:int}", "/n/1-2", `404`},
	{"/n/{id:int}.json", "/n/-1.json", `id="-1"`},
	{"/n/{id:uuid}", "/n/123e4567-e89b-12d3-a456-42661417400F", `id="123e4567-e89b-12d3-a456-42661417400F"`},
	{"/n/{id:uuid}", "/n/123e4567e89b12d3a456426614174000", `404`},
	{"/n/{id:uuid}", "/n/123e4567-e89b-12d3-a456-42661417400g", `404`},
	{"/n/{id:uuid}", "/n/{123e4567-e89b-12d3-a456-426614174000}", `404`},
	{"/n/{id:[0-9]*}", "/n/", `404`},
	{"/n/{id:..+}", "/n/a%0Ab", `404`},
	{"/n/{id:(?s).+}", "/n/a%0Ab", `id="a\nb"`},
	{"/n/{id:[0-9]{2,3}}", "/n/1", `404`},
	{"/n/{id:[0-9]{2,3}}", "/n/12", `id="12"`},
	{"/n/{id:[0-9]{2,3}}", "/n/123", `id="123"`},
	{"/n/{id:[0-9]{2,3}}", "/n/1234", `404`},
	{`/n/{id:\d{4}}`, "/n/2024", `id="2024"`},
	{`/n/{id:\d{4}}`, "/n/20245", `404`},
	{"/n/{id:v[0-9]+}", "/n/v123", `id="v123"`},
	{"/n/{id:v[0-9]+}", "/n/vv1", `404`},
	{"/n/{id:[0-9]+v}", "/n/12v", `id="12v"`},
	{"/n/{id:[0-9]+v}", "/n/1vv", `404`},
	{"/n/{id:[a-z]?[0-9]{2}}", "/n/a12", `id="a12"`},
	{"/n/{id:[a-z]?[0-9]{2}}", "/n/12", `id="12"`},
	{"/n/{id:[a-z]?[0-9]{2}}", "/n/ab12", `404`},
	{"/n/{id:a|b}", "/n/a", `id="a"`},
	{"/n/{id:a|b}", "/n/b", `id="b"`},
	{"/n/{id:a|b}", "/n/ab", `404`},
	{"/n/{id:a|ab}", "/n/ab", `id="ab"`},
	{"/n/{id:a|ab}x", "/n/abx", `id="ab"`},
	{"/n/{id:^a$}", "/n/a", `id="a"`},
	{"/n/{id:(?m)^a$}", "/n/a%0Ab", `404`},
	{"/n/{id:(?i)abc}", "/n/aBc", `id="aBc"`},
	{"/n/{id:[^/]+}", "/n/a%2Fb", `404`},
	{"/n/{id:a/b}", "/n/a%2Fb", `id="a/b"`},
	{"/n/{id:a/b}", "/n/a/b", `404`},
	{"/n/{id:[}]}", "/n/}", `id="}"`},
	{"/n/{id:[{]}", "/n/{", `id="{"`},
	{`/n/{id:\}}`, "/n/}", `id="}"`},
	{`/n/{id:[]a]+}`, "/n/]a", `id="]a"`},
	{`/n/{id:[^]]+}`, "/n/a", `id="a"`},
	{`/n/{id:[^]]+}`, "/n/]", `404`},
	{`/n/{id:[[:alpha:]]+}`, "/n/ab", `id="ab"`},
	{`/n/{id:[[:alpha:]]+}`, "/n/a1", `404`},
	{`/n/{id:a{2}b{3}}`, "/n/aabbb", `id="aabbb"`},
	{`/n/{id:(a)(b)}`, "/n/ab", `id="ab"`},
	{`/n/{id:(?P<x>a)b}`, "/n/ab", `id="ab"`},
	{`/n/{id:\pL+}`, "/n/ü", `id="ü"`},
	{`/n/{id:\pL+}`, "/n/1", `404`},
	{`/n/{id:[a-z ]+}`, "/n/a%20b", `id="a b"`},
	{`/n/{id:[^a]}`, "/n/%C3%BC", `id="ü"`},
	{`/n/{id:..}`, "/n/%C3%BC", `404`},
	{`/n/{id:..}`, "/n/ab", `id="ab"`},
	{`/n/{id:[.]+}`, "/n/...", `id="..."`},
	{`/n/{id:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}}`, "/n/123e4567-e89b-12d3-a456-426614174000", `id="123e4567-e89b-12d3-a456-426614174000"`},
	{`/n/{id:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}}`, "/n/123e4567-e89b-12d3-a456-42661417400g", `404`},
	{`/n/{id:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}}`, "/n/123e4567-e89b-12d3-a4560426614174000", `404`},

	{"/v2/{name...}/tags", "/v2/a/tags", `name="a"`},
	{"/v2/{name...}/tags", "/v2/a/b/c/tags", `name="a/b/c"`},
	{"/v2/{name...}/tags", "/v2/tags/tags/tags", `name="tags/tags"`},
	{"/v2/{name...}/tags", "/v2/tags", `404`},
	{"/v2/{name...}/tags", "/v2/a", `404`},
	{"/v2/{name...}/tags", "/v2/a/tags/", `404`},
	{"/v2/{name...}/tags", "/v2/a/tags/b", `404`},
	{"/v2/{name...}/tags", "/v2/a%2Fb/c/tags", `name="a/b/c"`},
	{"/v2/{name...}/tags", "/v2/a%2Ftags", `404`},
	{"/v2/{name...}/tags", "/v2/%2F/tags", `name="/"`},
	{"/v2/{name...}/tags", "/v2/a%2F..%2Fb/tags", `404`},
	{"/v2/{name...}/tags", "/v2/..%2Fb/c/tags", `404`},
	{"/v2/{name...}/tags", "/v2/a%20b/%C3%BC/tags", `name="a b/ü"`},
	{"/v2/{name...}/tags", "/v2/a/%74ags", `name="a"`},
	{"/{name...}/a%2Fb", "/x/y/a%2Fb", `name="x/y"`},
	{"/{name...}/manifests/{ref}", "/a/manifests/b", `name="a" ref="b"`},
	{"/{name...}/manifests/{ref}", "/a/manifests/manifests/b", `name="a/manifests" ref="b"`},
	{"/{name...}/manifests/{ref}", "/a/manifests/manifests/manifests/b", `name="a/manifests/manifests" ref="b"`},
	{"/{name...}/manifests/{ref}", "/manifests/b", `404`},
	{"/{name...}/{id:[0-9]+}", "/a/1/2", `name="a/1" id="2"`},
	{"/{name...}/{id:[0-9]+}", "/a/1/b", `404`},
	{"/{name...}/{id:[0-9]+}/x", "/a/1/2/x", `name="a/1" id="2"`},
	{"/{name...}/{file}.json", "/a/b/c.json", `name="a/b" file="c"`},
	{"/{name...}/{a}/{b}", "/1/2/3/4", `name="1/2" a="3" b="4"`},
	{"/{name...}/{a}/{b}", "/1/2", `404`},
	{"/{x}/{name...}/{y}", "/1/2/3/4", `x="1" name="2/3" y="4"`},
	{"/{name...}/{$}", "/a/b/", `name="a/b"`},
	{"/{name...}/b/{rest...}", "/a/b/c/d", `name="a" rest="c/d"`},
	{"/{name...}/b/{rest...}", "/a/b/c/b/d", `name="a/b/c" rest="d"`},
	{"/{name...}/b/{rest...}", "/a/b/", `name="a" rest=""`},
	{"/{name...}/b/*rest", "/a/b/c", `name="a" rest="/c"`},
	{"/{name...}/b/*rest", "/a/b/c%2F..", `404`},
	{"/{name...}/{rest...}", "/a/b/", `name="a/b" rest=""`},

	{"/v{major}.{minor}/x", "/v1.2/x", `major="1" minor="2"`},
	{"/v{major}.{minor}/x", "/v10.20/x", `major="10" minor="20"`},
	{"/v{major}.{minor}/x", "/v1/x", `404`},
	{"/v{major}.{minor}/x", "/v1./x", `404`},
	{"/v{major}.{minor}/x", "/v.2/x", `404`},
	{"/v{major}.{minor}/x", "/1.2/x", `404`},
	{"/v{major}.{minor}/x", "/v1.2/y", `404`},
	{"/v{major}.{minor}/x", "/v1.2", `404`},
	{"/{name}.json", "/a.json", `name="a"`},
	{"/{name}.json", "/a.json.json", `name="a.json"`},
	{"/{name}.json", "/.json", `404`},
	{"/{name}.json", "/a.JSON", `404`},
	{"/{name}.json", "/ajson", `404`},
	{"/{name}.json", "/a.jsonx", `404`},
	{"/{name}.json", "/a%2Ejson", `name="a"`},
	{"/{name}.json", "/a%2Fb.json", `name="a/b"`},
	{"/user_:name", "/user_bob", `name="bob"`},
	{"/user_:name", "/user_", `404`},
	{"/user_:name", "/userbob", `404`},
	{"/user_:name/x", "/user_bob/x", `name="bob"`},
	{"/{id}:cancel", "/5:cancel", `id="5"`},
	{"/{id}:cancel", "/5%3Acancel", `id="5"`},
	{"/{id}:cancel", "/:cancel", `404`},
	{"/{id}:cancel", "/5:cance", `404`},
	{"/{id:[0-9]+}:cancel", "/5:cancel", `id="5"`},
	{"/{id:[0-9]+}:cancel", "/x:cancel", `404`},
	{"/{id:[0-9]+}.json", "/12.json", `id="12"`},
	{"/{id:[0-9]+}.json", "/12.xml", `404`},
	{"/{id:[0-9]+}.json", "/1a.json", `404`},
	{"/{a}-{b}-{c}", "/1-2-3", `a="1" b="2" c="3"`},
	{"/{a}-{b}-{c}", "/1-2", `404`},
	{"/{a}-{b}-{c}", "/1--3", `404`},
	{"/{a}-{b}-{c}", "/1---3", `a="1" b="-" c="3"`},
	{"/{a}ab{b}", "/xaby", `a="x" b="y"`},
	{"/{a}ab{b}", "/abab", `404`},
	{"/{a}ab{b}", "/ababab", `a="ab" b="ab"`},
	{"/{y:[0-9]{4}}-{m:[0-9]{2}}", "/2024-05", `y="2024" m="05"`},
	{"/{y:[0-9]{4}}-{m:[0-9]{2}}", "/2024-5", `404`},
	{"/{y:[0-9]{4}}-{m:[0-9]{2}}", "/2024-056", `404`},
	{"/{y:[0-9]{4}}-{m:[0-9]{2}}", "/x2024-05", `404`},
	{"/{y:(a)(b)}-{m:(c)}", "/ab-c", `y="ab" m="c"`},
	{"/{a:[a-z]+}{$}", "", "panic"},
	{"/x{a:[0-9]+}y{b}", "/x1yz", `a="1" b="z"`},
	{"/x{a:[0-9]+}y{b}", "/xayz", `404`},
	{"/{a:x|y}.{b}", "/x.y", `a="x" b="y"`},
	{"/{a:x|y}.{b}", "/z.y", `404`},
	{"/{a}.{b:x|y}", "/a.b.x", `a="a.b" b="x"`},
	{"/p{a}%2Fs", "/pX%2Fs", `a="X"`},
	{"/p{a}%2Fs", "/pX/s", `404`},
	// No value is . or .., whatever stands around it.
	{"/a{x}", "/a.", `404`},
	{"/a{x}", "/a..", `404`},
	{"/a{x}", "/a%2E%2e", `404`},
	{"/a{x}", "/a...", `x="..."`},
	{"/{x}.json", "/..json", `404`},
	{"/{x}.json", "/...json", `404`},
	{"/{x}.json", "/....json", `x="..."`},
	{"/a{x:[.]+}", "/a..", `404`},
	{"/{a}-{b}", "/..-x", `404`},
	{"/{a}-{b}", "/x-.", `404`},
	{"/.{x}", "/.a", `x="a"`},
	{"/.{x}", "/...", `404`},

	{"/static/*filepath", "/static/a", `filepath="/a"`},
	{"/static/*filepath", "/static/a/b.css", `filepath="/a/b.css"`},
	{"/static/*filepath", "/static/a/", `filepath="/a/"`},
	{"/static/*filepath", "/static/", `filepath="/"`},
	{"/static/*filepath", "/statics/a", `404`},
	{"/static/*filepath", "/static/a%2Fb/c", `filepath="/a/b/c"`},
	{"/static/*filepath", "/static/a%20b", `filepath="/a b"`},
	{"/static/*filepath", "/static/.hidden", `filepath="/.hidden"`},
	{"/static/*filepath", "/static/...", `filepath="/..."`},
	{"/static/*filepath", "/static/a/.../b", `filepath="/a/.../b"`},
	{"/static/{filepath...}", "/static/a", `filepath="a"`},
	{"/static/{filepath...}", "/static/a/b", `filepath="a/b"`},
	{"/static/{filepath...}", "/static/a/", `filepath="a/"`},
	{"/static/{filepath...}", "/static/", `filepath=""`},
	{"/static/{filepath...}", "/static/%2F", `filepath="/"`},
	{"/static/{filepath...}", "/static/a%2Fb/c", `filepath="a/b/c"`},
	// No named rest has a dot segment, not even between escaped slashes.
	{"/static/*filepath", "/static/a%2F..%2F..%2Fetc", `404`},
	{"/static/*filepath", "/static/..%2Fetc", `404`},
	{"/static/*filepath", "/static/a/b%2F..", `404`},
	{"/static/*filepath", "/static/a/b%2F.", `404`},
	{"/static/*filepath", "/static/%2F%2e%2E", `404`},
	{"/static/*filepath", "/static/a%2F.../b", `filepath="/a/.../b"`},
	{"/static/*filepath", "/static/a..%2F..b", `filepath="/a../..b"`},
	{"/static/{filepath...}", "/static/..%2Fetc", `404`},
	{"/static/{filepath...}", "/static/a%2F..", `404`},
	{"/users/:id", "/users/a%2F..%2Fb", `id="a/../b"`},
	{"/users/v{id}", "/users/v%2F..", `id="/.."`},
	{"/*all", "/", `all="/"`},
	{"/*all", "/a/b", `all="/a/b"`},
	{"/{all...}", "/", `all=""`},
	{"/{all...}", "/a/b", `all="a/b"`},
	{"/:a/*rest", "/x/y/z", `a="x" rest="/y/z"`},
	{"/:a/*rest", "/x/", `a="x" rest="/"`},
	{"/{a:[0-9]+}/{rest...}", "/1/y/z", `a="1" rest="y/z"`},
	{"/{a:[0-9]+}/{rest...}", "/x/y/z", `404`},
	{"/v{a}/*rest", "/v1/y", `a="1" rest="/y"`},

	{"/x/{$}", "/x/", ``},
	{"/x/{$}", "/x/y", `404`},
	{"/{$}", "/", ``},
	{"/{$}", "/x", `404`},
}

// slashCases test patterns that end in a slash with each registration method.
var slashCases = []struct {
	pattern, target, verb, handle string
}{
	{"/", "/", ``, ``},
	{"/", "/x", `404`, ``},
	{"/", "/x/y", `404`, ``},
	{"/x/", "/x/", ``, ``},
	{"/x/", "/x/y", `404`, ``},
	{"/x/", "/x/y/", `404`, ``},
	{"/x/", "/xy/", `404`, `404`},
	{"/x/", "/x", `404`, `307 /x/`},
	{"/x/", "/x?q=1", `404`, `307 /x/?q=1`},
	{"/:a/", "/1/", `a="1"`, `a="1"`},
	{"/:a/", "/1/2", `404`, `a="1"`},
	{"/:a/", "/1", `404`, `307 /1/`},
	{"/:a/", "/1%2F2", `404`, `307 /1%2F2/`},
	{"/{a:[0-9]+}/", "/1/x", `404`, `a="1"`},
	{"/{a:[0-9]+}/", "/x/", `404`, `404`},
	{"/{a:[0-9]+}/", "/1", `404`, `307 /1/`},
	{"/v{a}/", "/v1/x", `404`, `a="1"`},
	{"/x/{$}", "/x", `404`, `307 /x/`},
	{"/x/*rest", "/x", `404`, `307 /x/`},
	{"/x/{rest...}", "/x", `404`, `307 /x/`},
	{"/:a/*rest", "/x", `404`, `307 /x/`},
}

// registrations are the registration methods, for GET or for every method.
var registrations = []struct {
	name string
	verb bool
	add  func(m *muxmaster.Mux, pattern string)
}{
	{"GET", true, func(m *muxmaster.Mux, p string) { m.GET(p, values) }},
	{"ANY", true, func(m *muxmaster.Mux, p string) { m.ANY(p, values) }},
	{"GETFast", true, func(m *muxmaster.Mux, p string) { m.GETFast(p, fastValues) }},
	{"ANYFast", true, func(m *muxmaster.Mux, p string) { m.ANYFast(p, fastValues) }},
	{"Group.GET", true, func(m *muxmaster.Mux, p string) { m.Group("/").GET(p, values) }},
	{"Handle", false, func(m *muxmaster.Mux, p string) { m.Handle(p, http.HandlerFunc(values)) }},
	{"Handle GET", false, func(m *muxmaster.Mux, p string) { m.Handle("GET "+p, http.HandlerFunc(values)) }},
	{"Handle GET,POST", false, func(m *muxmaster.Mux, p string) { m.Handle("POST,GET "+p, http.HandlerFunc(values)) }},
	{"Handle host", false, func(m *muxmaster.Mux, p string) { m.Handle("example.com"+p, http.HandlerFunc(values)) }},
	{"Handle GET host", false, func(m *muxmaster.Mux, p string) { m.Handle("GET example.com"+p, http.HandlerFunc(values)) }},
	{"HandleFunc", false, func(m *muxmaster.Mux, p string) { m.HandleFunc(p, values) }},
	{"HandleFast", false, func(m *muxmaster.Mux, p string) { m.HandleFast(p, fastValues) }},
	{"TryHandle", false, func(m *muxmaster.Mux, p string) {
		if err := m.TryHandle(p, http.HandlerFunc(values)); err != nil {
			panic(err.Error())
		}
	}},
	{"With.Handle", false, func(m *muxmaster.Mux, p string) { m.With().Handle(p, http.HandlerFunc(values)) }},
}

// modes are the modes of path values that a program can choose.
var modes = []struct {
	name   string
	pooled bool
}{{"default", false}, {"pooled", true}}

func newMux(pooled bool) *muxmaster.Mux {
	m := muxmaster.New()
	m.PoolRequestBundle, m.PoolFastParams = pooled, pooled
	return m
}

func TestPatterns(t *testing.T) {
	for _, mode := range modes {
		for _, method := range registrations {
			check := func(pattern, target, want string) {
				t.Helper()
				m := newMux(mode.pooled)
				m.RedirectTrailingSlash = false
				if text := panics(func() { method.add(m, pattern) }); text != "" || want == "panic" {
					if (text != "") != (want == "panic") {
						t.Errorf("%s, %s %q panicked with %q, want %q", mode.name, method.name, pattern, text, want)
					}
					return
				}
				if got := get(t, m, "GET", target); got != want {
					t.Errorf("%s, %s %q, %s: got %s, want %s", mode.name, method.name, pattern, target, got, want)
				}
			}
			for _, c := range patternCases {
				target, want := c.target, c.want
				if !method.verb && want == "404" && isOnlySlashed(c.pattern, target) {
					want = "307 " + target + "/"
				}
				check(c.pattern, target, want)
			}
			for _, c := range slashCases {
				if method.verb {
					check(c.pattern, c.target, c.verb)
				} else {
					check(c.pattern, c.target, c.handle)
				}
			}
		}
	}
}

// isOnlySlashed reports whether the target would match a pattern that ends in
// /{$} if it had a trailing slash. net/http redirects such requests.
func isOnlySlashed(pattern, target string) bool {
	p, ok := strings.CutSuffix(pattern, "/{$}")
	return ok && strings.Count(p, "/") == strings.Count(target, "/") && !strings.HasSuffix(target, "/")
}

// Handle rejects a space in a path, because a space ends the method.
func TestSpaceInPath(t *testing.T) {
	m := muxmaster.New()
	m.GET("/a b/:id", values)
	if got, want := get(t, m, "GET", "/a%20b/1"), `id="1"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The number of parameters of a route is not limited.
func TestManyParameters(t *testing.T) {
	for _, mode := range modes {
		for _, n := range []int{1, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 255, 256, 257, 600} {
			m := newMux(mode.pooled)
			var pattern, target, want strings.Builder
			for i := range n {
				s := strconv.Itoa(i)
				pattern.WriteString("/:p" + s)
				target.WriteString("/v" + s)
				if i > 0 {
					want.WriteString(" ")
				}
				want.WriteString(`p` + s + `="v` + s + `"`)
			}
			m.GET(pattern.String(), values)
			m.POSTFast(pattern.String(), fastValues)
			for range 2 {
				for _, method := range []string{"GET", "POST"} {
					if got := get(t, m, method, target.String()); got != want.String() {
						t.Errorf("%s, %d parameters, %s: got %s", mode.name, n, method, got)
					}
				}
			}
		}
	}
}

// Routes can have different parameter names in the same position.
func TestNamesBelongToTheRoute(t *testing.T) {
	m := muxmaster.New()
	m.GET("/a/:id", values)
	m.GET("/a/:name/x", values)
	m.POST("/a/{key}", values)
	m.GET("/a/{n:[0-9]+}/y", values)
	for _, c := range []struct{ method, target, want string }{
		{"GET", "/a/1", `id="1"`},
		{"GET", "/a/1/x", `name="1"`},
		{"POST", "/a/1", `key="1"`},
		{"GET", "/a/1/y", `n="1"`},
	} {
		if got := get(t, m, c.method, c.target); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.target, got, c.want)
		}
	}
}

var badPatterns = []struct {
	pattern string
	verb    bool   // also bad as the path of a verb method
	want    string // part of the text
}{
	{"", true, `muxmaster: pattern "": `},
	{"x", true, `muxmaster: pattern "x": `},
	{"GET", true, ``},
	{"GET x", true, ``},
	{" ", true, ``},
	{"GET  ", true, ``},
	{"G(T /x", true, `method`},
	{"GET,, /x", true, `method`},
	{",GET /x", true, `method`},
	{"GET,GET /x", true, `method`},
	{"GET, POST /x", true, ``},
	{"/:", true, `name`},
	{"/x/*", true, `name`},
	{"/{}", true, `name`},
	{"/{...}", true, `name`},
	{"/{:[0-9]+}", true, `name`},
	{"/{id:}", true, `empty`},
	{"/{id:(}", true, `RE2`},
	{"/{id:[}", true, `{`},
	{"/{id:a(?!b)}", true, `RE2`},
	{"/{id:)(}", true, `RE2`},
	{"/{id", true, `{`},
	{"/id}", false, ``},
	{"/{id}}", true, `}`},
	{"/{id}{name}", true, `between`},
	{"/{a b}", true, `name`},
	{"/{1a}", true, `name`},
	{"/:a.json", true, `{a}.json`},
	{"/:a-", false, ``},
	{"/:a/:a", true, `twice`},
	{"/:a/*a", true, `twice`},
	{"/{a}.{a}", true, `twice`},
	{"/{$}/x", true, `last`},
	{"/x{$}", true, `whole`},
	{"/*a/b", true, `last`},
	{"/{a...}/b/{c...}/d", true, `second`},
	{"/x{a...}", true, `whole`},
	{"/{a...}x", true, ``},
}

func TestBadPatterns(t *testing.T) {
	for _, c := range badPatterns {
		if c.want == "" && !c.verb {
			continue
		}
		m := muxmaster.New()
		m.GET("/ok/:id", values)
		err := m.TryHandle(c.pattern, tell("x"))
		if err == nil {
			t.Errorf("TryHandle(%q): no error", c.pattern)
			continue
		}
		text := err.Error()
		if !strings.HasPrefix(text, "muxmaster: ") || !strings.Contains(text, strconv.Quote(c.pattern)) || !strings.Contains(text, c.want) {
			t.Errorf("TryHandle(%q): %q, want the prefix, the pattern and %q", c.pattern, text, c.want)
		}
		for name, register := range map[string]func(){
			"Handle":     func() { m.Handle(c.pattern, tell("x")) },
			"HandleFunc": func() { m.HandleFunc(c.pattern, tell("x")) },
			"HandleFast": func() { m.HandleFast(c.pattern, fastValues) },
		} {
			if got := panics(register); got != text {
				t.Errorf("%s(%q) panicked with %q, want %q", name, c.pattern, got, text)
			}
		}
		if c.verb {
			for name, register := range map[string]func(){
				"GET":     func() { m.GET(c.pattern, values) },
				"ANY":     func() { m.ANY(c.pattern, values) },
				"GETFast": func() { m.GETFast(c.pattern, fastValues) },
			} {
				if got := panics(register); !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, c.pattern) {
					t.Errorf("%s(%q) panicked with %q", name, c.pattern, got)
				}
			}
		}
		if got := get(t, m, "GET", "/ok/1"); got != `id="1"` {
			t.Errorf("after %q an earlier route answers %s", c.pattern, got)
		}
	}
}
