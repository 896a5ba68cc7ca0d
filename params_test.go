package muxmaster_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// rebuilt returns the path that r's pattern and values make.
func rebuilt(r *http.Request) string {
	var pairs []string
	for _, p := range muxmaster.PathParams(r) {
		pairs = append(pairs, p.Key, p.Value)
	}
	path, _ := muxmaster.BuildPath(muxmaster.RoutePattern(r), pairs...)
	return path
}

// In default mode values last as long as the request that holds them.
func TestValuesLast(t *testing.T) {
	m := muxmaster.New()
	var kept []*http.Request // by handlers, and by the caller
	var params []muxmaster.Params
	keep := func(w http.ResponseWriter, r *http.Request) { kept = append(kept, r) }
	m.GET("/a/:x/{y}", keep)
	m.GET("/b/*rest", keep)
	m.GETFast("/c/:x/v{y}", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
		keep(w, r)
		params = append(params, ps)
	})
	for i := range 200 {
		for _, target := range []string{fmt.Sprintf("/a/x%d/y%d", i, i), fmt.Sprintf("/b/x%d/y%d", i, i), fmt.Sprintf("/c/x%d/vy%d", i, i)} {
			r := request(t, "GET", target)
			kept = append(kept, r)
			ask(m, r)
		}
	}
	for i, r := range kept {
		if got := rebuilt(r); got != r.URL.Path {
			t.Fatalf("request %d for %s has the values of %s", i, r.URL.Path, got)
		}
	}
	for i, ps := range params {
		if got, want := fmt.Sprint(ps), fmt.Sprintf("[{x x%d} {y y%d}]", i, i); got != want {
			t.Fatalf("Params of request %d: %s, want %s", i, got, want)
		}
	}
}

func TestPathParams(t *testing.T) {
	m := muxmaster.New()
	var ps muxmaster.Params
	m.GET("/:b/{a}/{c:[0-9]+}.{d}/*e", func(w http.ResponseWriter, r *http.Request) {
		ps = muxmaster.PathParams(r)
		muxmaster.PathParams(r)[0].Value = "changed" // in a copy
		values(w, r)
	})
	m.GET("/none", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, len(muxmaster.PathParams(r)), r.PathValue("x"), muxmaster.PathParam(r, ""))
	})
	addValues(m, "ANY /a b/:c|GET /a/:id|GET /a/:name/x|POST /a/{key}|GET /a/{n:[0-9]+}/y") // names in one place may differ
	wants(t, m, exchanges{
		{"/1/2/3.4/5/6", `b="1" a="2" c="3" d="4" e="/5/6"`}, {"/none", "0"}, {"/a%20b/1", `c="1"`},
		{"/a/1", `id="1"`}, {"/a/1/x", `name="1"`}, {"POST /a/1", `key="1"`}, {"/a/1/y", `n="1"`},
	})
	if got, want := fmt.Sprint(ps), "[{b 1} {a 2} {c 3} {d 4} {e /5/6}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, ps := range []muxmaster.Params{ps, nil} {
		if v, ok := ps.Lookup("x"); v != "" || ok || ps.Get("x") != "" || ps.Get("") != "" {
			t.Errorf("%v: Lookup(x) = %q, %v, Get(x) = %q", ps, v, ok, ps.Get("x"))
		}
	}
	r := request(t, "GET", "/")
	if got, pattern := muxmaster.PathParams(r), muxmaster.RoutePattern(r); len(got) != 0 || pattern != "" {
		t.Errorf("a request that was not routed: got %v, RoutePattern %q", got, pattern)
	}
}

type upper string

func (u *upper) UnmarshalText(b []byte) error {
	if len(b) > 3 {
		return fmt.Errorf("too long")
	}
	*u = upper(strings.ToUpper(string(b)))
	return nil
}

type (
	named   string
	count   int
	ratio   float32
	flagged bool
)

// as parses the value v and tells the outcome: the value with its type, or
// error and the status that it asks for.
func as[T any](t *testing.T, value string) string {
	m := muxmaster.New()
	out := ""
	m.GET("/:v", func(w http.ResponseWriter, r *http.Request) {
		got, err := muxmaster.PathParamAs[T](r, "v")
		out = fmt.Sprintf("%T %v", got, got)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "muxmaster: ") || !strings.Contains(err.Error(), `"v"`) {
				t.Errorf("the error %q has no prefix or no name", err)
			}
			if !reflect.ValueOf(&got).Elem().IsZero() {
				t.Errorf("%T %v beside the error %v", got, got, err)
			}
			var detail interface{ ProblemDetail() string } // what the client learns
			errors.As(err, &detail)
			out = strings.Replace(strings.TrimSpace(fmt.Sprint("error ", problem.Status(err), " ", detail.ProblemDetail())), ` 400 The path parameter "v" is not valid.`, "", 1)
		}
	})
	ask(m, request(t, "GET", "/"+value))
	return out
}

func TestPathParamAs(t *testing.T) {
	for _, c := range []struct {
		as   func(*testing.T, string) string
		want [][2]string // by value
	}{
		{as[string], [][2]string{{"a%20b", "string a b"}}},
		{as[named], [][2]string{{"x", "muxmaster_test.named x"}}},
		{as[int], [][2]string{
			{"12", "int 12"}, {"-12", "int -12"}, {"+1", "int 1"}, {"0x10", "error"}, {"1_000", "error"}, {"1.5", "error"}, {"x", "error"}, {"%201", "error"},
			{"99999999999999999999", "error"},
		}},
		{as[int8], [][2]string{{"127", "int8 127"}, {"128", "error"}}},
		{as[int16], [][2]string{{"-32768", "int16 -32768"}}},
		{as[int32], [][2]string{{"2147483648", "error"}}},
		{as[int64], [][2]string{{"9223372036854775807", "int64 9223372036854775807"}}},
		{as[count], [][2]string{{"7", "muxmaster_test.count 7"}}},
		{as[uint], [][2]string{{"12", "uint 12"}, {"-1", "error"}}},
		{as[uint8], [][2]string{{"255", "uint8 255"}, {"256", "error"}}},
		{as[uint16], [][2]string{{"65536", "error"}}},
		{as[uint32], [][2]string{{"4294967295", "uint32 4294967295"}}},
		{as[uint64], [][2]string{{"18446744073709551615", "uint64 18446744073709551615"}}},
		{as[float64], [][2]string{{"1.5", "float64 1.5"}, {"1e400", "error"}}},
		{as[float32], [][2]string{{"0.25", "float32 0.25"}, {"1e40", "error"}}},
		{as[ratio], [][2]string{{"0.5", "muxmaster_test.ratio 0.5"}}},
		{as[float64], [][2]string{{"x", "error"}}},
		{as[bool], [][2]string{{"true", "bool true"}, {"0", "bool false"}, {"yes", "error"}}},
		{as[flagged], [][2]string{{"true", "muxmaster_test.flagged true"}}},
		{as[upper], [][2]string{{"ab", "muxmaster_test.upper AB"}, {"abcd", "error"}}},
		{as[netip.Addr], [][2]string{{"::1", "netip.Addr ::1"}, {"x", "error"}}},
		{as[time.Time], [][2]string{{"2024-05-06T07:08:09Z", "time.Time 2024-05-06 07:08:09 +0000 UTC"}}},
		{as[[]int], [][2]string{
			// a mistake in the program
			{"1", "error 500"},
		}},
		{as[struct{}], [][2]string{{"1", "error 500"}}},
		{as[any], [][2]string{{"1", "error 500"}}},
		{as[*int], [][2]string{{"1", "error 500"}}},
		{as[complex128], [][2]string{{"1", "error 500"}}},
	} {
		for _, row := range c.want {
			if got := c.as(t, row[0]); got != row[1] {
				t.Errorf("%q: got %s, want %s", row[0], got, row[1])
			}
		}
	}

	m := muxmaster.New()
	m.GET("/x/:id", func(w http.ResponseWriter, r *http.Request) {
		_, err := muxmaster.PathParamAs[string](r, "name")
		fmt.Fprint(w, err)
	})
	m.GET("/y/{rest...}", func(w http.ResponseWriter, r *http.Request) {
		v, err := muxmaster.PathParamAs[string](r, "rest")
		fmt.Fprintf(w, "%q %v", v, err)
	})
	if got := get(t, m, "GET", "/x/1"); !strings.HasPrefix(got, "muxmaster: ") || !strings.Contains(got, `"name"`) || !strings.Contains(got, "/x/:id") {
		t.Errorf("a name that the route does not have: %q", got)
	}
	if got, want := get(t, m, "GET", "/y/"), `"" <nil>`; got != want {
		t.Errorf("an empty catch-all: got %s, want %s", got, want)
	}
}

// r.SetPathValue can change values that the router set, and add others.
func TestSetPathValue(t *testing.T) {
	for _, mode := range modes {
		m := newMux(mode.pooled)
		g := m.With(wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.SetPathValue("id", "changed")
			r.SetPathValue("more", "added")
			next.ServeHTTP(w, r)
		}))
		g.GET("/x/:id", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.PathValue("id"), " ", r.PathValue("more"))
		})
		g.GET("/static", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.PathValue("id"), " ", r.PathValue("more"))
		})
		m.GET("/y/:id", values)
		for range 3 {
			wants(t, m, exchanges{{"/x/1", "changed added"}, {"/static", "changed added"}, {"/y/1", `id="1"`}}, mode.name)
		}
		r := request(t, "GET", "/y/1")
		r.SetPathValue("id", "before")
		r.SetPathValue("own", "kept")
		if got := ask(m, r).body; !strings.Contains(got, `id="1"`) || r.PathValue("own") != "kept" {
			t.Errorf("%s: values set before: got %s and own=%q", mode.name, got, r.PathValue("own"))
		}
	}
}

// A Mux behind another one, not mounted: the inner values hide the outer ones
// of the same name, the others stay.
func TestNestedRouters(t *testing.T) {
	needsNesting(t)
	for _, mode := range modes {
		for _, innerMode := range modes {
			inner := newMux(innerMode.pooled)
			addValues(inner, "GET /x/:a/:b|GET /x/:a/s/t")
			inner.GETFast("/x/:a/f/:b/g", func(w http.ResponseWriter, r *http.Request, ps muxmaster.Params) {
				fmt.Fprint(w, ps, " ")
				values(w, r)
			})
			inner.GET("/x/y/z/static", func(w http.ResponseWriter, r *http.Request) { values(w, r) })
			var after string
			outer := newMux(mode.pooled)
			outer.With(wrap(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				next.ServeHTTP(w, r)
				after = r.PathValue("o")
			})).Handle("/{o}/{b}/", http.StripPrefix("", inner))
			for _, c := range [][2]string{
				{"/x/1/2", `a="1" b="2" o="x"`},
				{"/x/1/s/t", `a="1" o="x" b="1"`},
				{"/x/1/f/2/g", `[{a 1} {b 2}] a="1" b="2" o="x"`},
				{"/x/y/z/static", `o="x" b="y"`},
				{"/x/1/2/3/4", "404"},
			} {
				after = ""
				if got := get(t, outer, "GET", c[0]); got != c[1] {
					t.Errorf("%s in %s, %s: got %s, want %s", innerMode.name, mode.name, c[0], got, c[1])
				}
				if !innerMode.pooled && after != "x" {
					t.Errorf("%s in %s, %s: o=%q after the inner router", innerMode.name, mode.name, c[0], after)
				}
			}
		}
	}
}

// An http.ServeMux removes the values of a Mux around it.
func TestServeMuxInside(t *testing.T) {
	needsNesting(t)
	outer, inner := muxmaster.New(), http.NewServeMux()
	outer.Mount("/{o}", inner)
	inner.HandleFunc("/x/{i}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("o"), r.PathValue("i")) })
	if got := get(t, outer, "GET", "/x/1"); got != "1" {
		t.Errorf("got %s, want the value of the ServeMux alone", got)
	}
}

// One request routed twice shows the values of the last time.
func TestRoutedAgain(t *testing.T) {
	needsNesting(t)
	for _, mode := range modes {
		m := newMux(mode.pooled)
		addValues(m, "GET /a/:x|GET /b/:y")
		m.GETFast("/f/:z", fastValues)
		m.GET("/s", values)
		m.GET("/again/:x", func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = "/b/2"
			m.ServeHTTP(w, r)
		})
		r := request(t, "GET", "/a/1")
		for _, c := range [][2]string{{"/a/1", `x="1"`}, {"/b/2", `y="2"`}, {"/f/3", `z="3"`}, {"/s", ``}, {"/a/4", `x="4"`}, {"/s", ``}, {"/f/5", `z="5"`}, {"/b/6", `y="6"`}, {"/again/7", `y="2"`}} {
			r.URL.Path = c[0]
			if got := ask(m, r).brief(); got != c[1] {
				t.Errorf("%s, %s: got %s, want %s", mode.name, c[0], got, c[1])
			}
		}
		r.URL.Path = "/none"
		ask(m, r)
		if r.Pattern != "" || r.PathValue("y") != "" {
			t.Errorf("%s: after a 404: r.Pattern %q, y=%q", mode.name, r.Pattern, r.PathValue("y"))
		}
	}
}

// TestPatternOfRequest checks r.Pattern: the registered pattern, for verb methods with
// the HTTP method. RoutePattern is its path.
func TestPatternOfRequest(t *testing.T) {
	for _, c := range []struct{ group, route, request, want string }{ // see add
		{"", "GET /users/:id", "GET /users/1", "GET /users/:id"},
		{"", "GET /users/:id", "HEAD /users/1", "GET /users/:id"},
		{"", "ANY /users/:id", "GET /users/1", "/users/:id"},
		{"", "Handle GET,PUT  example.com/users/{id}", "PUT /users/1", "GET,PUT  example.com/users/{id}"},
		{"", "Handle /users/", "PUT /users/1", "/users/"},
		{"", "Handle /{id:a/b}", "PUT /a%2Fb", "/{id:a/b}"},
		{"/g/:x", "GET /users", "GET /g/1/users", "GET /g/:x/users"},
		{"/g/:x", "Handle POST example.com/users", "POST /g/1/users", "POST example.com/g/:x/users"},
		{"/g/h/", "GET ", "GET /g/h", "GET /g/h"},
		{"/g", "GET /", "GET /g/", "GET /g"},
		{"/g", "Handle GET /{$}", "GET /g/", "GET /g"},
		{"/g", "GET,PUT /", "PUT /g", "GET,PUT /g"},
	} {
		m := muxmaster.New()
		add(m.Group(c.group), c.route)
		method, target, _ := strings.Cut(c.request, " ")
		r := request(t, method, target)
		ask(m, r)
		if path := c.want[strings.IndexByte(c.want, '/'):]; r.Pattern != c.want || muxmaster.RoutePattern(r) != path {
			t.Errorf("%s in %q, %s: r.Pattern is %q, want %q; RoutePattern is %q", c.route, c.group, c.request, r.Pattern, c.want, muxmaster.RoutePattern(r))
		}
	}
}

// query calls QueryAs, and QueryOr with def, for the parameter q and tells the
// outcomes: the value, or the status and the detail for the client.
func query[T any](def T) func(t *testing.T, rawQuery string) string {
	return func(t *testing.T, rawQuery string) string {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.RawQuery = rawQuery
		var out []string
		for i, f := range []func() (T, error){
			func() (T, error) { return muxmaster.QueryAs[T](r, "q") },
			func() (T, error) { return muxmaster.QueryOr(r, "q", def) },
		} {
			got, err := f()
			if err == nil {
				out = append(out, fmt.Sprint(got))
				continue
			}
			if !strings.HasPrefix(err.Error(), `muxmaster: query parameter "q": `) || !reflect.ValueOf(&got).Elem().IsZero() {
				t.Errorf("%s, %d: %v beside the error %v", rawQuery, i, got, err)
			}
			var detail interface{ ProblemDetail() string }
			if !errors.As(err, &detail) {
				t.Errorf("%s, %d: the error %v has no detail", rawQuery, i, err)
				continue
			}
			out = append(out, strings.TrimSpace(fmt.Sprint(problem.Status(err), " ", detail.ProblemDetail())))
		}
		return strings.Join(out, " | ")
	}
}

func TestQueryAs(t *testing.T) {
	const missing, invalid = `400 The query parameter "q" is missing.`, `400 The query parameter "q" is not valid.`
	number, text, list := query(9), query("none"), query([]int(nil))
	for _, c := range []struct {
		query func(*testing.T, string) string
		raw   string
		want  string
	}{
		{number, "q=5", "5 | 5"},
		{number, "a=1&q=5&q=6&b", "5 | 5"},
		{number, "%71=%35", "5 | 5"},
		{number, "", missing + " | 9"},
		{number, "Q=5&qq=6&&=7", missing + " | 9"},
		{number, "%zz=1", missing + " | 9"},
		{number, "q", invalid + " | " + invalid},
		{number, "q=", invalid + " | " + invalid},
		{number, "q=x", invalid + " | " + invalid},
		{number, "q=1.5", invalid + " | " + invalid},
		{number, "q=%zz", invalid + " | " + invalid},
		{number, "q=1;q=2", invalid + " | " + invalid},
		{text, "q=a+b%26%3B", "a b&; | a b&;"},
		{text, "q=", " | "},
		{text, "q=%zz", invalid + " | " + invalid},
		{text, "q=a;b", invalid + " | " + invalid},
		{text, "a", missing + " | none"},
		{query(time.Time{}), "q=2024-05-06T07:08:09Z", "2024-05-06 07:08:09 +0000 UTC | 2024-05-06 07:08:09 +0000 UTC"},
		{query(netip.Addr{}), "q=x", invalid + " | " + invalid},
		{query(true), "q=false", "false | false"},
		{list, "q=1", "500 | 500"}, // a mistake in the program, whether the value is there or not
		{list, "", "500 | 500"},
	} {
		if got := c.query(t, c.raw); got != c.want {
			t.Errorf("?%s: got %s, want %s", c.raw, got, c.want)
		}
	}
}
