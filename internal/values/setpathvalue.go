package values

import (
	"net/http"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file sets path values with r.SetPathValue. It is for builds without
// unsafe code, and does less than direct delivery: a request doesn't know which
// router set a value. So a value that an earlier router or match has set remains
// visible under its name, and Each yields only those of the innermost router.

// safeSet sets the path values of r. The caller sets r.Pattern afterwards.
func safeSet(r *http.Request, list, slots []string) {
	if r.Pattern != "" && len(list) > 0 {
		unshare(r) // another router may have set values
	}
	for i, name := range list {
		r.SetPathValue(name, slots[i])
	}
}

// unshare gives r path values of its own. Those that SetPathValue set are in a
// map that r shares with the copies that WithContext made, which another
// goroutine may use.
func unshare(r *http.Request) {
	c := r.Clone(r.Context())
	c.URL, c.Header, c.Trailer, c.TransferEncoding = r.URL, r.Header, r.Trailer, r.TransferEncoding
	c.Form, c.PostForm, c.MultipartForm = r.Form, r.PostForm, r.MultipartForm
	*r = *c
}

// safeEach calls yield with the values of the parameters of r.Pattern.
func safeEach(r *http.Request, yield func(name, value string) bool) {
	if r.Pattern == "" {
		return
	}
	parse := pattern.Parse
	if strings.HasPrefix(r.Pattern, "/") { // of ANY; it may have spaces
		parse = pattern.ParsePath
	}
	p, err := parse(r.Pattern)
	if err != nil {
		return
	}
	for _, name := range p.Names() {
		if !yield(name, r.PathValue(name)) {
			return
		}
	}
}
