//go:build generated

package client

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"

	"github.com/seed-1954dcaa/muxmaster/interop/openapi"
)

// values are sent as path values. They contain characters that clients and
// routers may misinterpret.
var values = []string{"7", "a b", "a/b", "a%2Fb", "50%", "x?y=1#z", "a+b", "ü", "日本", "a;b,c", "&=$@!'()*~", "..a", "{x}", `back\slash`, "a:b", `"q"`, "<>", "\n", "%"}

// call sends a request with the generated client and returns the response.
func call(t *testing.T, send func(ctx context.Context, reqEditors ...RequestEditorFn) (*http.Response, error)) Answer {
	t.Helper()
	resp, err := send(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var a Answer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s: %s %v", resp.Request.Method, resp.Request.URL, resp.Status, err)
	}
	return a
}

type (
	editor = RequestEditorFn
	params = map[string]string
)

// TestClient calls the service. Each path value must arrive as it was sent.
func TestClient(t *testing.T) {
	srv := httptest.NewServer(openapi.Service())
	defer srv.Close()
	client, err := NewClient(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	type send = func(ctx context.Context, e ...editor) (*http.Response, error)
	one := func(f func(ctx context.Context, v string, e ...editor) (*http.Response, error), v string) send {
		return func(ctx context.Context, e ...editor) (*http.Response, error) { return f(ctx, v, e...) }
	}
	two := func(f func(ctx context.Context, v, w string, e ...editor) (*http.Response, error), v, w string) send {
		return func(ctx context.Context, e ...editor) (*http.Response, error) { return f(ctx, v, w, e...) }
	}
	note, limit := "milk", 3
	const key = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	type row struct {
		send  send
		route string
		want  params
	}
	rows := []row{
		{client.Get, "GET /", nil},
		{client.PostList, "POST /list", nil},
		{two(client.Version, "1", "26"), `GET /v{major:[0-9]+}.{minor:\d+}/x`, params{"major": "1", "minor": "26"}},
		{two(client.GetByWeekDay, "2024", "Jan"), "GET /by/{year:[0-9]{4}}/{month:(?i)[a-z]{3}}", params{"year": "2024", "month": "Jan"}},
		{two(client.GetByWeekDay, "w7", "mo"), "GET /by/{week:w[0-9]+}/{day}", params{"week": "w7", "day": "mo"}},
		{func(ctx context.Context, e ...editor) (*http.Response, error) {
			return client.TypedValues(ctx, -7, uuid.MustParse(key), &TypedValuesParams{Limit: &limit}, e...)
		}, "GET /typed/{number:int}/{key:uuid}", params{"number": "-7", "key": key, "limit": "3"}},
		{one(client.GetIdId, "beef"), "GET /id/{id:[[:xdigit:]]{4}}", params{"id": "beef"}},
		{one(client.GetAnyIdId, "größe"), `GET /any-id/{id:\pL+}`, params{"id": "größe"}},
		{one(client.ShowUser, "you"), "GET /users/:id", params{"id": "you"}},
	}
	for _, v := range values {
		rows = append(rows,
			row{one(client.ShowUser, v), "GET /users/:id", params{"id": v}},
			row{one(client.RemoveUser, v), "DELETE /users/{user}", params{"user": v}},
			row{one(client.GetFilesNameJson, v), "GET /files/{name}.json", params{"name": v}},
			row{one(client.PostJobsIdCancel, v), "POST /jobs/{id}:cancel", params{"id": v}},
			row{one(client.GetOldUserName, v), "GET /old/user_:name", params{"name": v}},
			row{one(client.GetStaticFilepath, v), "GET /static/*filepath", params{"filepath": "/" + v}},
			row{one(client.GetDocsPage, v), "GET /docs/{page...}", params{"page": v}},
			row{two(client.GetV2NameManifestsRef, v, v), "GET /v2/{name...}/manifests/{ref}", params{"name": v, "ref": v}},
			row{one(client.GenericPatch, v), "PATCH /any/:x", params{"x": v}},
			row{two(client.GetApiTenantItemsId, v, "1"), "GET /api/{tenant}/items/{id}", params{"tenant": v, "id": "1"}},
			row{one(client.GetApiTenant, v), "GET /api/{tenant}", params{"tenant": v}},
			row{two(client.GetMountedSitePagesPage, "s", v), "GET /mounted/{site}/pages/:page", params{"site": "s", "page": v}},
			row{func(ctx context.Context, e ...editor) (*http.Response, error) {
				return client.GetOddUserIdTypeGrE(ctx, v, "t", v, e...)
			}, "GET /odd/{user-id}/{type}/{Größe}", params{"user-id": v, "type": "t", "Größe": v}},
			row{func(ctx context.Context, e ...editor) (*http.Response, error) {
				host := func(_ context.Context, r *http.Request) error { r.Host = "shop.example.com"; return nil }
				return client.GetHostsId(ctx, v, append(e, host)...)
			}, "GET /hosts/{id}", params{"tenant": "shop", "id": v}},
		)
	}
	for _, r := range rows {
		a := call(t, r.send)
		if a.Route != r.route || !maps.Equal(a.Values, r.want) {
			t.Errorf("got %s %q, want %s %q", a.Route, a.Values, r.route, r.want)
		}
	}
	if a := call(t, func(ctx context.Context, e ...editor) (*http.Response, error) {
		return client.Put(ctx, "7", PutJSONRequestBody{Note: &note}, e...)
	}); a.Route != "PUT /any/:x" || a.Note == nil || *a.Note != note {
		t.Errorf("the body: got %+v", a)
	}
	parsed, err := NewClientWithResponses(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := parsed.ShowUserWithResponse(t.Context(), "7")
	if err != nil {
		t.Fatal(err)
	}
	if resp.JSON200 == nil || resp.JSON200.Values["id"] != "7" {
		t.Errorf("the parsed answer: %s", resp.Body)
	}
}
