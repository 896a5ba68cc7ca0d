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

// safeSet sets the path values of r, and its mark if n has one. The caller sets
// r.Pattern afterwards.
func safeSet(r *http.Request, n *Names, list, slots []string) {
	id, marked := marks.ids.Load(weak.Make(n))
	if (r.Pattern != "" || r.PathValue(markName) != "") && (len(list) > 0 || marked) {
		unshare(r) // another router may have set values
	}
	safeDrop(r)
	for i, name := range list {
		r.SetPathValue(name, slots[i])
	}
	if marked {
		r.SetPathValue(markName, id.(string))
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

var marks struct {
	last  atomic.Uint64
	ids   sync.Map // text by weak.Pointer[Names]
	names sync.Map // weak.Pointer[Names] by text
}

// remember makes safeMark find n until it is collected.
func remember(n *Names) {
	id, p := strconv.FormatUint(marks.last.Add(1), 36), weak.Make(n)
	marks.ids.Store(p, id)
	marks.names.Store(id, p)
	runtime.AddCleanup(n, func(id string) {
		marks.ids.Delete(p)
		marks.names.Delete(id)
	}, id)
}

// safeMark returns the mark of r, or nil.
func safeMark(r *http.Request) any {
	if p, ok := marks.names.Load(r.PathValue(markName)); ok {
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
