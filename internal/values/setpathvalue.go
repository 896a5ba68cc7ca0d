package values

import (
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file sets path values with r.SetPathValue. It is for builds without
// unsafe code, and does less than direct delivery: a request doesn't know which
// router set a value. So a value that an earlier router or match has set remains
// visible under its name, and Each yields only those of the innermost router.

// safeSet sets the path values of r, and its mark if there is one. The caller sets
// r.Pattern afterwards.
func safeSet(r *http.Request, mark string, list, slots []string) {
	if (r.Pattern != "" || r.PathValue(markName) != "") && (len(list) > 0 || mark != "") {
		unshare(r) // another router may have set values
	}
	safeDrop(r)
	for i, name := range list {
		r.SetPathValue(name, slots[i])
	}
	if mark != "" {
		r.SetPathValue(markName, mark)
	}
}

// safeDrop removes the mark of r.
func safeDrop(r *http.Request) {
	if r.PathValue(markName) != "" {
		unshare(r)
		r.SetPathValue(markName, "")
	}
}

// A request can't hold Names, so their mark is a text, by which they are found.
const markName = Hidden + "mark"

var (
	lastMark atomic.Uint64
	marked   sync.Map // weak.Pointer[Names] by text
)

// remember returns a text by which safeMark finds n until it is collected.
func remember(n *Names) string {
	mark := strconv.FormatUint(lastMark.Add(1), 36)
	marked.Store(mark, weak.Make(n))
	runtime.AddCleanup(n, func(mark string) { marked.Delete(mark) }, mark)
	return mark
}

// safeMark returns the mark of r, or nil.
func safeMark(r *http.Request) any {
	if p, ok := marked.Load(r.PathValue(markName)); ok {
		if n := p.(weak.Pointer[Names]).Value(); n != nil {
			return n.mark
		}
	}
	return nil
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
	p, err := pattern.ParsePath(r.Pattern) // its names are those of Parse, too
	if err != nil {                        // r has no pattern
		return
	}
	for _, name := range p.Names() {
		if !yield(name, r.PathValue(name)) {
			return
		}
	}
}
