// Command registry serves the endpoints of the OCI distribution specification.
package main

import (
	"context"
	"log"
	"net/http"
	"regexp"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/problem"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	if err := server.New("localhost:5000", routes(newStore())).Run(context.Background()); err != nil {
		log.Fatal("registry: ", err)
	}
}

// maxBody is the maximum length of a manifest or of a part of a blob.
const maxBody = 64 << 20

// routes returns the endpoints. The comments are their names in the
// specification.
func routes(s *store) http.Handler {
	mux := muxmaster.New()
	mux.Use(middleware.BodyLimit(maxBody))
	mux.GET("/v2/", func(w http.ResponseWriter, r *http.Request) {}) // end-1

	repo := mux.With(checkName)
	handle := func(methods, path string, f func(http.ResponseWriter, *http.Request) error) {
		repo.Method(methods, path, problem.Handler(f))
	}
	handle("GET", "/v2/{name...}/blobs/{digest}", s.getBlob)                   // end-2, also for HEAD
	handle("DELETE", "/v2/{name...}/blobs/{digest}", s.deleteBlob)             // end-10
	handle("POST", "/v2/{name...}/blobs/uploads/", s.startUpload)              // end-4a, 4b, 11
	handle("GET", "/v2/{name...}/blobs/uploads/{reference}", s.statUpload)     // end-13
	handle("PATCH", "/v2/{name...}/blobs/uploads/{reference}", s.appendUpload) // end-5
	handle("PUT", "/v2/{name...}/blobs/uploads/{reference}", s.endUpload)      // end-6
	handle("GET", "/v2/{name...}/manifests/{reference}", s.getManifest)        // end-3, also for HEAD
	handle("PUT", "/v2/{name...}/manifests/{reference}", s.putManifest)        // end-7
	handle("DELETE", "/v2/{name...}/manifests/{reference}", s.deleteManifest)  // end-9
	handle("GET", "/v2/{name...}/tags/list", s.listTags)                       // end-8a, 8b
	handle("GET", "/v2/{name...}/referrers/{digest}", s.listReferrers)         // end-12a, 12b
	return mux
}

// repoName matches the names that the specification allows.
var repoName = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)

// checkName refuses other names.
func checkName(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := r.PathValue("name"); len(name) > 255 || !repoName.MatchString(name) {
			problem.Write(w, r, &problem.Error{Status: http.StatusBadRequest, Detail: "The name of the repository is not valid."})
			return
		}
		next.ServeHTTP(w, r)
	})
}
