package values

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
)

// This file sets path values with r.SetPathValue.
//
// A request does not list the names that were set. So safeSet also sets a path
// value named listName, which no pattern can have. It has one line for each
// owner that set values, the innermost first: the owner's ID and the names.
//
//	12/id/name
//
// If an inner owner sets a value with the same name, the hidden value is kept
// under the name 12/id, to be restored when the inner one is removed.

const listName = "muxmaster: names"

// IDs that no Owner has.
const (
	serveMuxID = "ServeMux/"
	callerID   = "/" // values that other code set with SetPathValue
)

// A safeLayer is what one owner set: a line of the list.
type safeLayer struct {
	id    string // ends in a slash
	names []string
}

// safeLayers returns the layers of r.
func safeLayers(r *http.Request) (layers []safeLayer) {
	list := r.PathValue(listName)
	if list == "" {
		if names := stdNames(r); len(names) > 0 {
			layers = append(layers, safeLayer{serveMuxID, names})
		}
		return layers
	}
	for line := range strings.Lines(list) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "/")
		layers = append(layers, safeLayer{parts[0] + "/", parts[1:]})
	}
	return layers
}

// keepLayers sets the list of r.
func keepLayers(r *http.Request, layers []safeLayer) {
	var b strings.Builder
	for _, l := range layers {
		b.WriteString(l.id + strings.Join(l.names, "/") + "\n")
	}
	r.SetPathValue(listName, b.String())
}

// holder returns the ID under which a hidden value of that name is kept: that of
// the innermost of the layers that has the name.
func holder(layers []safeLayer, name string) string {
	for _, l := range layers {
		if slices.Contains(l.names, name) {
			return l.id
		}
	}
	return callerID
}

// stdNames returns the names of the path values that an http.ServeMux has set.
func stdNames(r *http.Request) []string {
	if r.Pattern == "" {
		return nil
	}
	p, err := pattern.Parse(r.Pattern)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(p.Names(), func(name string) bool { return r.PathValue(name) == "" })
}

// safeSet sets the path values of r for the owner with the given ID. The slots
// hold the values, or pairs of name and value.
func safeSet(r *http.Request, id string, list, slots []string) {
	if r.PathValue(listName) != "" {
		unshare(r)
		removeLayer(r, id)
	}
	if len(list) == 0 {
		return
	}
	layers := safeLayers(r)
	step := len(slots) / len(list)
	for i, name := range list {
		if hidden := r.PathValue(name); hidden != "" {
			r.SetPathValue(holder(layers, name)+name, hidden)
		}
		r.SetPathValue(name, slots[step*i+step-1])
	}
	keepLayers(r, slices.Insert(layers, 0, safeLayer{id, list}))
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

// safeClear removes the values that safeSet set for the owner.
func safeClear(r *http.Request, id string) {
	if list := r.PathValue(listName); strings.HasPrefix(list, id) || strings.Contains(list, "\n"+id) {
		unshare(r)
		removeLayer(r, id)
	}
}

// removeLayer removes the layer of the owner, if there is one.
func removeLayer(r *http.Request, id string) {
	layers := safeLayers(r)
	i := slices.IndexFunc(layers, func(l safeLayer) bool { return l.id == id })
	if i < 0 {
		return
	}
	for _, name := range layers[i].names {
		hidden := id + name // where the value is if an inner one hides it
		if holder(layers[:i], name) == callerID {
			hidden = holder(layers[i+1:], name) + name
			r.SetPathValue(name, r.PathValue(hidden))
		}
		if r.PathValue(hidden) != "" {
			r.SetPathValue(hidden, "")
		}
	}
	keepLayers(r, slices.Delete(layers, i, i+1))
}

// tagKey is the context key of an owner's tag.
type tagKey struct{ owner *Owner }

// safeSetTag adds a tag to r's context.
func safeSetTag(r *http.Request, o *Owner, tag any) {
	if tag != nil {
		*r = *r.WithContext(context.WithValue(r.Context(), tagKey{o}, tag))
	}
}

func safeTag(r *http.Request, o *Owner) any { return r.Context().Value(tagKey{o}) }

func safeList(r *http.Request) []string {
	var all []string
	for _, l := range safeLayers(r) {
		for _, name := range l.names {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
