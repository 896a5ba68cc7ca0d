package inspect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// document returns the operations for routes of the form METHOD HOST/PATH
// HANDLER [ID], as lines of the form METHOD path id parameters.
func document(t *testing.T, routes ...string) []string {
	t.Helper()
	var list []muxmaster.Route
	for _, line := range routes {
		f := strings.Fields(line)
		i := strings.IndexByte(f[1], '/')
		list = append(list, muxmaster.Route{Method: strings.TrimPrefix(f[0], "*"), Host: f[1][:i], Pattern: f[1][i:], Handler: f[2], Name: strings.Join(f[3:], "")})
	}
	doc, err := new(Document).of(slices.Values(list))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for path, item := range doc["paths"].(map[string]any) {
		item := item.(map[string]any)
		if others, ok := item["additionalOperations"].(map[string]any); ok {
			delete(item, "additionalOperations")
			maps.Copy(item, others)
		}
		for method, op := range item {
			op := op.(map[string]any)
			line := strings.ToUpper(method) + " " + path + " " + op["operationId"].(string)
			params, _ := op["parameters"].([]any)
			for _, p := range params {
				p := p.(map[string]any)
				line += " " + p["name"].(string)
				schema := p["schema"].(map[string]any)
				for _, key := range []string{"pattern", "format"} {
					if text, ok := schema[key]; ok {
						line += "=" + text.(string)
					}
				}
				if schema["type"] != "string" {
					line += "=" + schema["type"].(string)
				}
			}
			if s := op["servers"]; s != nil {
				text, _ := json.Marshal(s)
				line += " " + string(text)
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

func TestOperations(t *testing.T) {
	for _, tt := range []struct {
		name   string
		routes []string
		want   []string
	}{
		{"parts of a segment", []string{"GET /v{major:[0-9]+}.{minor}/{name}.json x.Show"},
			[]string{"GET /v{major}.{minor}/{name}.json Show major=^(?:[0-9]+)$ minor name"}},
		{"catch-alls", []string{"GET /a/*rest x.A", "GET /b/{rest...} x.B", "GET /c/{$} x.C", "GET /d/ x.D"},
			[]string{"GET /a/{rest} A rest", "GET /b/{rest} B rest", "GET /c/ C", "GET /d/ D"}},
		{"catch-alls inside", []string{"GET /v2/{name...}/manifests/{ref} x.A", "PUT /v2/{name}/manifests/{ref} x.B"},
			[]string{"GET /v2/{name}/manifests/{ref} A name ref", "PUT /v2/{name}/manifests/{ref} B name ref"}},
		{"escapes", []string{"GET /a%20b/%7Bc%7D/ü/50%25/!$&'()+,;=@ x.A"}, []string{"GET /a%20b/%7Bc%7D/%C3%BC/50%25/!$&'()+,;=@ A"}},
		{"methods", []string{"* /x a.X", "PURGE /x a.P", "QUERY /x a.Q", "TRACE /x a.T", "OPTIONS /x a.O", "BREW /pot a.B"},
			[]string{"BREW /pot B", "DELETE /x X_delete", "GET /x X_get", "OPTIONS /x O", "PATCH /x X_patch", "POST /x X_post", "PURGE /x P", "PUT /x X_put", "QUERY /x Q", "TRACE /x T"}},
		{"the exact method has the place", []string{"* /x a.Any", "GET /x a.Get"},
			[]string{"DELETE /x Any_delete", "GET /x Get", "PATCH /x Any_patch", "POST /x Any_post", "PUT /x Any_put"}},
		{"one path, other names", []string{"GET /u/{id}/p/{n} a.Get", "PUT /u/{user:[a-z]+}/p/{m} a.Put", "POST /u/*all a.Post", "PATCH /u/{one} a.Patch"},
			[]string{"GET /u/{id}/p/{n} Get id n", "PATCH /u/{all} Patch all", "POST /u/{all} Post all", "PUT /u/{id}/p/{n} Put id=^(?:[a-z]+)$ n"}},
		{"one place, several constraints", []string{"GET /u/{id:[0-9]+} a.A", "GET /u/{name:[a-z]+} a.B", "GET /v/{id:[0-9]+} a.C", "GET /v/{name} a.D"},
			[]string{"GET /u/{id} A id=^(?:[0-9]+|[a-z]+)$", "GET /v/{id} C id"}},
		{"named constraints", []string{"GET /u/{id:int} a.A", "GET /v{v:int}/{id:uuid} a.B"}, []string{"GET /u/{id} A id=integer", "GET /v{v}/{id} B v=integer id=uuid"}},
		{"named constraints at one place", []string{"GET /u/{id:int} a.A", "GET /u/{key:uuid} a.B", "GET /v/{n:int} a.C", "GET /v/{n:-?[0-9]+} a.D"},
			[]string{"GET /u/{id} A id=^(?:-?[0-9]+|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$", "GET /v/{n} C n=integer"}},
		{"hosts", []string{"GET a.example.com/x a.A", "GET /x a.X", "GET {sub...}.{tenant}.example.com/y a.Y", "GET ::1/z a.Z", "GET [::1]:8080/v a.V", "GET example.com:8080/w a.W"},
			[]string{`GET /v V [{"url":"//[::1]:8080"}]`, `GET /w W [{"url":"//example.com:8080"}]`, "GET /x X", `GET /y Y [{"url":"//{sub}.{tenant}.example.com","variables":{"sub":{"default":"sub"},"tenant":{"default":"tenant"}}}]`,
				`GET /z Z [{"url":"//[::1]"}]`}},
		{"names", []string{"GET /1 example.com/x/users.List", "GET /2 example.com/x/users.(*API).Show-fm", "GET /3 main.main.func1", "GET /4 main.main.func1.2",
			"GET /5 net/http.(*fileHandler)", "GET /6 main.Make[...]", "GET /7 main.(*app).routes.func3.gowrap1", "GET /8 net/http.HandlerFunc", "GET /9 main.funcs", "GET /a files.Server", "GET /b *api.Endpoint[example.com/x.Item]"},
			[]string{"GET /1 List", "GET /2 Show", "GET /3 get_3", "GET /4 get_4", "GET /5 get_5", "GET /6 Make", "GET /7 get_7", "GET /8 get_8", "GET /9 funcs", "GET /a get_a", "GET /b Endpoint"}},
		{"names that differ in punctuation", []string{"GET /a x.a_b", "GET /b x.ab"}, []string{"GET /a a_b_get_a", "GET /b ab_get_b"}},
		{"own names", []string{"GET /a x.List", "GET /b x.b List", "GET /c x.c user.show", "* /d x.d any.thing", "GET /e x.e list_get"},
			[]string{"DELETE /d any.thing_delete", "GET /a List_get_a", "GET /b List", "GET /c user.show", "GET /d any.thing_get", "GET /e list_get",
				"PATCH /d any.thing_patch", "POST /d any.thing_post", "PUT /d any.thing_put"}},
		{"one name, several operations", []string{"GET /a x.List", "GET /b y.list", "POST /b y.save", "PUT /b z.save", "GET /c/d f.func1", "GET /c-d f.func2", "GET / f.func3"},
			[]string{"GET / get", "GET /a List_get_a", "GET /b list_get_b", "GET /c-d get_c_d_2", "GET /c/d get_c_d", "POST /b save_post", "PUT /b save_put"}},
	} {
		if got := document(t, tt.routes...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

func TestDescribe(t *testing.T) {
	routes := slices.Values([]muxmaster.Route{{Pattern: "/any/{id}"}, {Method: "GET", Pattern: "/hidden"}})
	d := Document{Describe: func(r muxmaster.Route, object map[string]any) {
		if r.Pattern == "/hidden" {
			clear(object)
			return
		}
		object["summary"] = r.Method
		object["parameters"].([]any)[0].(map[string]any)["description"] = r.Method
	}}
	doc, err := d.of(routes)
	if err != nil {
		t.Fatal(err)
	}
	paths := doc["paths"].(map[string]any)
	if len(paths) != 1 {
		t.Errorf("a cleared operation is in the document: %v", paths)
	}
	for _, method := range anyMethods {
		op := paths["/any/{id}"].(map[string]any)[strings.ToLower(method)].(map[string]any)
		description := op["parameters"].([]any)[0].(map[string]any)["description"]
		if op["summary"] != method || description != method {
			t.Errorf("%s: the operation is %v", method, op)
		}
	}
	d.Describe = func(_ muxmaster.Route, object map[string]any) { object["operationId"] = "same" }
	_, err = d.of(routes)
	if want := `the operation id "same" is used twice: for GET /any/{id} and POST /any/{id}`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestDocumentVersion checks that the version is 3.2 only if it must be.
func TestDocumentVersion(t *testing.T) {
	media := func(key string) map[string]any {
		return map[string]any{"content": map[string]any{"text/event-stream": map[string]any{key: map[string]any{}}}}
	}
	for _, tt := range []struct {
		method, key string
		value       any
		want        string
	}{
		{"GET", "summary", "text", "3.1.0"},
		{"TRACE", "summary", "text", "3.1.0"},
		{"QUERY", "summary", "text", "3.2.0"},
		{"CONNECT", "summary", "text", "3.2.0"},
		{"PURGE", "summary", "text", "3.2.0"},
		{"PURGE", "", nil, "3.1.0"}, // omitted
		{"POST", "requestBody", media("schema"), "3.1.0"},
		{"POST", "requestBody", media("itemSchema"), "3.2.0"},
		{"GET", "responses", map[string]any{"200": media("schema")}, "3.1.0"},
		{"GET", "responses", map[string]any{"200": media("itemSchema")}, "3.2.0"},
		{"GET", "responses", json.RawMessage(`{}`), "3.1.0"},
	} {
		d := Document{Describe: func(_ muxmaster.Route, object map[string]any) {
			if tt.key == "" {
				clear(object)
			} else {
				object[tt.key] = tt.value
			}
		}}
		doc, err := d.of(slices.Values([]muxmaster.Route{{Method: tt.method, Pattern: "/x"}}))
		if err != nil || doc["openapi"] != tt.want {
			t.Errorf("%s with %s %v: version %v, %v; want %s", tt.method, tt.key, tt.value, doc["openapi"], err, tt.want)
		}
	}
}

func TestECMAScript(t *testing.T) {
	for expr, same := range map[string]bool{
		`[0-9]+`: true, `\d{4}-\d{2}-\d{2}`: true, `[a-z0-9-]{1,8}`: true, `(?:a|b)+?`: true, `[^\]]`: true, `a{1}`: true, `a\{1\}`: true,
		`en|de|fr`: true, `-?[0-9]+`: true, `[0-9a-f]{8}-[0-9a-f]{4}`: true, `[a-z]+\.json`: true, `\ba\B`: true,
		`(?i)abc`: false, `(?P<year>\d)`: false, `[[:alpha:]]+`: false, `\Qa.b\E`: false, `\x{1F600}`: false, `\A[a-z]{2,}\z`: false,
		`(?U)a+`: false, `(?s).`: false, `.`: false, `x\-y`: false, `\pL`: false, `é+`: false, `\s`: false, `a]`: false, `a{,2}`: false,
		`\b+`: false, `a\B*`: false, `^*a`: false, `a$+`: false, `a$?`: false, `\b{2}`: false, `^$`: true, `(?:^)*`: true, `\$+b+`: true, `[$+*]`: true,
		`[\w-]+`: true, `[\w.-]+`: true, `[\w\d_-]`: true, `[^-\w]`: true, `[\w-.]+`: false, `[a\d-z]`: false, `[\w-\.]`: false,
	} {
		if got := ecmaScript(expr); (got == expr) != same || got != "" && got != expr {
			t.Errorf("%s: got %q", expr, got)
		}
	}
}
