package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
)

// TestRoutes checks the route and the values of each endpoint of the
// specification, for names that contain the words of other endpoints.
func TestRoutes(t *testing.T) {
	const digest = "sha256:6c3c624b58dbbcd3c0dd82b4c53f04194d1247c6eebdaab7c610cf7d66709b3b"
	mux := routes(newStore()).(*muxmaster.Mux)
	endpoints := []struct{ method, target, pattern, name, value string }{
		{"GET", "/blobs/" + digest, "/blobs/{digest}", "digest", digest},
		{"HEAD", "/blobs/" + digest, "/blobs/{digest}", "digest", digest},
		{"DELETE", "/blobs/" + digest, "/blobs/{digest}", "digest", digest},
		{"GET", "/manifests/latest", "/manifests/{reference}", "reference", "latest"},
		{"HEAD", "/manifests/" + digest, "/manifests/{reference}", "reference", digest},
		{"PUT", "/manifests/blobs", "/manifests/{reference}", "reference", "blobs"},
		{"DELETE", "/manifests/list", "/manifests/{reference}", "reference", "list"},
		{"POST", "/blobs/uploads/", "/blobs/uploads/", "", ""},
		{"POST", "/blobs/uploads/?digest=" + digest, "/blobs/uploads/", "", ""},
		{"POST", "/blobs/uploads/?mount=" + digest + "&from=a/b", "/blobs/uploads/", "", ""},
		{"GET", "/blobs/uploads/1", "/blobs/uploads/{reference}", "reference", "1"},
		{"PATCH", "/blobs/uploads/list", "/blobs/uploads/{reference}", "reference", "list"},
		{"PUT", "/blobs/uploads/1?digest=" + digest, "/blobs/uploads/{reference}", "reference", "1"},
		{"GET", "/tags/list", "/tags/list", "", ""},
		{"GET", "/tags/list?n=10&last=1.0", "/tags/list", "", ""},
		{"GET", "/referrers/" + digest, "/referrers/{digest}", "digest", digest},
		{"GET", "/referrers/" + digest + "?artifactType=x", "/referrers/{digest}", "digest", digest},
	}
	for _, name := range []string{
		"alpine", "library/alpine", "a/b/c/d/e/f", "manifests", "blobs", "a/manifests/b", "a/blobs/uploads", "blobs/uploads/tags/list",
		"tags/list", "v2/a/manifests", "uploads", "referrers/blobs/manifests",
	} {
		for _, e := range endpoints {
			got := mux.Explain(e.method, "/v2/"+name+e.target)
			if got.Route == nil || got.Route.Pattern != "/v2/{name...}"+e.pattern || got.Values.Get("name") != name || got.Values.Get(e.name) != e.value {
				t.Errorf("%s /v2/%s%s: %v", e.method, name, e.target, got)
			}
		}
	}
	for target, want := range map[string]int{
		"GET /v2/": 200, "GET /v2": 307, "GET /v2/alpine": 404, "GET /v2/manifests/latest": 404, "POST /v2/a/manifests/latest": 405,
		"GET /v2/A/tags/list": 400, "GET /v2/a/b.-c/tags/list": 400, "GET /v2/a%2Fb/tags/list": 200, "GET /v2/a%2F..%2Fb/tags/list": 404,
	} {
		method, path, _ := strings.Cut(target, " ")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != want {
			t.Errorf("%s: got %d, want %d", target, w.Code, want)
		}
	}
}

// TestPushAndPull pushes a blob in parts and a manifest, and pulls them.
func TestPushAndPull(t *testing.T) {
	srv := httptest.NewServer(routes(newStore()))
	defer srv.Close()
	send := func(method, target, content string, want int) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, srv.URL+target, strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != want {
			t.Fatalf("%s %s: got %d %s %v, want %d", method, target, resp.StatusCode, text, err, want)
		}
		return resp, string(text)
	}
	const repo = "/v2/team/blobs/app"
	digest := digestOf([]byte("one two"))
	resp, _ := send("POST", repo+"/blobs/uploads/", "", 202)
	upload := resp.Header.Get("Location")
	if want := repo + "/blobs/uploads/1"; upload != want {
		t.Errorf("Location %q, want %q", upload, want)
	}
	resp, _ = send("PATCH", upload, "one ", 202)
	if got := resp.Header.Get("Range"); got != "0-3" {
		t.Errorf("Range %q", got)
	}
	send("GET", upload, "", 204)
	resp, _ = send("PUT", upload+"?digest="+digest, "two", 201)
	if _, got := send("GET", resp.Header.Get("Location"), "", 200); got != "one two" {
		t.Errorf("got the blob %q", got)
	}
	send("POST", "/v2/other/blobs/uploads/?mount="+digest+"&from=team/blobs/app", "", 201)
	send("HEAD", "/v2/other/blobs/"+digest, "", 200)
	send("POST", repo+"/blobs/uploads/?digest="+digest, "another", 400)

	const subject = `{"layers":[]}`
	resp, _ = send("PUT", repo+"/manifests/latest", subject, 201)
	send("PUT", repo+"/manifests/signature", `{"artifactType":"sig","subject":{"digest":"`+digestOf([]byte(subject))+`"}}`, 201)
	if _, got := send("GET", resp.Header.Get("Location"), "", 200); got != subject {
		t.Errorf("got the manifest %q", got)
	}
	if _, got := send("GET", repo+"/tags/list?n=1", "", 200); got != `{"name":"team/blobs/app","tags":["latest"]}` {
		t.Errorf("got the tags %s", got)
	}
	if _, got := send("GET", repo+"/referrers/"+digestOf([]byte(subject))+"?artifactType=sig", "", 200); strings.Count(got, `"digest"`) != 1 {
		t.Errorf("got the referrers %s", got)
	}
	send("DELETE", repo+"/manifests/latest", "", 202)
	send("GET", repo+"/manifests/latest", "", 404)
	send("DELETE", "/v2/other/blobs/"+digest, "", 202)
	send("GET", "/v2/other/blobs/"+digest, "", 404)
	send("GET", repo+"/blobs/"+digest, "", 200)
}
