package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// A store holds repositories in memory.
type store struct {
	mu      sync.Mutex
	repos   map[string]*repository
	uploads map[string][]byte // by name and reference
	last    int               // number of the last upload
}

// A repository holds what was pushed under a name.
type repository struct {
	blobs     map[string][]byte // by digest
	manifests map[string]manifest
	tags      map[string]string // digests
}

type manifest struct {
	mediaType string
	content   []byte
}

func newStore() *store {
	return &store{repos: map[string]*repository{}, uploads: map[string][]byte{}}
}

// repo locks s and returns the repository of r; only a push creates one. The
// caller unlocks s.
func (s *store) repo(r *http.Request) *repository {
	s.mu.Lock()
	name := r.PathValue("name")
	repo := s.repos[name]
	if repo == nil {
		repo = &repository{map[string][]byte{}, map[string]manifest{}, map[string]string{}}
		if r.Method == "POST" || r.Method == "PUT" {
			s.repos[name] = repo
		}
	}
	return repo
}

var notFound = problem.Code(http.StatusNotFound)

func digestOf(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

func (s *store) getBlob(w http.ResponseWriter, r *http.Request) error {
	repo := s.repo(r)
	defer s.mu.Unlock()
	content, ok := repo.blobs[r.PathValue("digest")]
	if !ok {
		return notFound
	}
	return write(w, "application/octet-stream", r.PathValue("digest"), content)
}

func write(w http.ResponseWriter, mediaType, digest string, content []byte) error {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.Header().Set("Docker-Content-Digest", digest)
	_, err := w.Write(content)
	return err
}

func (s *store) deleteBlob(w http.ResponseWriter, r *http.Request) error {
	repo := s.repo(r)
	defer s.mu.Unlock()
	if _, ok := repo.blobs[r.PathValue("digest")]; !ok {
		return notFound
	}
	delete(repo.blobs, r.PathValue("digest"))
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// startUpload begins an upload, takes a whole blob (?digest=), or mounts one of
// another repository (?mount= and ?from=).
func (s *store) startUpload(w http.ResponseWriter, r *http.Request) error {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	repo := s.repo(r)
	defer s.mu.Unlock()
	query := r.URL.Query()
	if digest := query.Get("digest"); digest != "" {
		return s.addBlob(w, r, repo, digest, content)
	}
	if from := s.repos[query.Get("from")]; from != nil && from.blobs[query.Get("mount")] != nil {
		return s.addBlob(w, r, repo, query.Get("mount"), from.blobs[query.Get("mount")])
	}
	s.last++
	reference := strconv.Itoa(s.last)
	s.uploads[r.PathValue("name")+" "+reference] = nil
	return s.progress(w, r, reference, http.StatusAccepted)
}

// addBlob adds a blob and says where it is.
func (s *store) addBlob(w http.ResponseWriter, r *http.Request, repo *repository, digest string, content []byte) error {
	if digestOf(content) != digest {
		return &problem.Error{Status: http.StatusBadRequest, Detail: "The digest is not that of the content."}
	}
	repo.blobs[digest] = content
	return created(w, r, "/v2/{name...}/blobs/{digest}", digest)
}

// created responds with the location of what was pushed: a pattern whose last
// parameter has the given value.
func created(w http.ResponseWriter, r *http.Request, pattern, value string) error {
	last := pattern[strings.LastIndexByte(pattern, '{')+1 : len(pattern)-1]
	path, err := muxmaster.BuildPath(pattern, "name", r.PathValue("name"), last, value)
	if err != nil {
		return err
	}
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusCreated)
	return nil
}

// progress responds with the location of an upload and how much of it is there.
func (s *store) progress(w http.ResponseWriter, r *http.Request, reference string, status int) error {
	path, err := muxmaster.BuildPath("/v2/{name...}/blobs/uploads/{reference}", "name", r.PathValue("name"), "reference", reference)
	if err != nil {
		return err
	}
	w.Header().Set("Location", path)
	w.Header().Set("Range", fmt.Sprintf("0-%d", max(len(s.uploads[r.PathValue("name")+" "+reference])-1, 0)))
	w.WriteHeader(status)
	return nil
}

func (s *store) statUpload(w http.ResponseWriter, r *http.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.uploads[r.PathValue("name")+" "+r.PathValue("reference")]; !ok {
		return notFound
	}
	return s.progress(w, r, r.PathValue("reference"), http.StatusNoContent)
}

func (s *store) appendUpload(w http.ResponseWriter, r *http.Request) error {
	part, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := r.PathValue("name") + " " + r.PathValue("reference")
	content, ok := s.uploads[key]
	if !ok {
		return notFound
	}
	if len(content)+len(part) > maxBody {
		return problem.Code(http.StatusRequestEntityTooLarge)
	}
	s.uploads[key] = append(content, part...)
	return s.progress(w, r, r.PathValue("reference"), http.StatusAccepted)
}

func (s *store) endUpload(w http.ResponseWriter, r *http.Request) error {
	part, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	repo := s.repo(r)
	defer s.mu.Unlock()
	key := r.PathValue("name") + " " + r.PathValue("reference")
	content, ok := s.uploads[key]
	if !ok {
		return notFound
	}
	delete(s.uploads, key)
	return s.addBlob(w, r, repo, r.URL.Query().Get("digest"), append(content, part...))
}

// find returns the digest of a manifest for a tag or a digest.
func (repo *repository) find(reference string) (digest string, ok bool) {
	digest = cmp.Or(repo.tags[reference], reference)
	_, ok = repo.manifests[digest]
	return digest, ok
}

func (s *store) getManifest(w http.ResponseWriter, r *http.Request) error {
	repo := s.repo(r)
	defer s.mu.Unlock()
	digest, ok := repo.find(r.PathValue("reference"))
	if !ok {
		return notFound
	}
	return write(w, repo.manifests[digest].mediaType, digest, repo.manifests[digest].content)
}

func (s *store) putManifest(w http.ResponseWriter, r *http.Request) error {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	digest, reference := digestOf(content), r.PathValue("reference")
	if strings.Contains(reference, ":") && reference != digest {
		return &problem.Error{Status: http.StatusBadRequest, Detail: "The digest is not that of the content."}
	}
	repo := s.repo(r)
	defer s.mu.Unlock()
	repo.manifests[digest] = manifest{r.Header.Get("Content-Type"), content}
	if reference != digest {
		repo.tags[reference] = digest
	}
	w.Header().Set("Docker-Content-Digest", digest)
	return created(w, r, "/v2/{name...}/manifests/{reference}", reference)
}

// deleteManifest deletes a tag, or a manifest and its tags.
func (s *store) deleteManifest(w http.ResponseWriter, r *http.Request) error {
	repo := s.repo(r)
	defer s.mu.Unlock()
	reference := r.PathValue("reference")
	if _, ok := repo.find(reference); !ok {
		return notFound
	}
	delete(repo.manifests, reference)
	maps.DeleteFunc(repo.tags, func(tag, digest string) bool { return tag == reference || digest == reference })
	w.WriteHeader(http.StatusAccepted)
	return nil
}

func (s *store) listTags(w http.ResponseWriter, r *http.Request) error {
	limit, err := muxmaster.QueryOr(r, "n", 1000)
	if err != nil {
		return err
	}
	repo := s.repo(r)
	defer s.mu.Unlock()
	tags := []string{}
	for _, tag := range slices.Sorted(maps.Keys(repo.tags)) {
		if tag > r.URL.Query().Get("last") && len(tags) < limit {
			tags = append(tags, tag)
		}
	}
	return body.WriteJSON(w, http.StatusOK, map[string]any{"name": r.PathValue("name"), "tags": tags})
}

// listReferrers lists the manifests whose subject has a digest.
func (s *store) listReferrers(w http.ResponseWriter, r *http.Request) error {
	type descriptor struct {
		MediaType    string `json:"mediaType"`
		Digest       string `json:"digest"`
		Size         int    `json:"size"`
		ArtifactType string `json:"artifactType,omitempty"`
	}
	repo := s.repo(r)
	defer s.mu.Unlock()
	list := []descriptor{}
	for _, digest := range slices.Sorted(maps.Keys(repo.manifests)) {
		var m struct {
			ArtifactType string
			Subject      struct{ Digest string }
		}
		content := repo.manifests[digest].content
		if json.Unmarshal(content, &m) != nil || m.Subject.Digest != r.PathValue("digest") {
			continue
		}
		if kind := r.URL.Query().Get("artifactType"); kind == "" || kind == m.ArtifactType {
			list = append(list, descriptor{repo.manifests[digest].mediaType, digest, len(content), m.ArtifactType})
		}
	}
	w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
	return json.NewEncoder(w).Encode(map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": list})
}
