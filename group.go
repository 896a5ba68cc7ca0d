package muxmaster

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/internal/files"
	"github.com/seed-1954dcaa/muxmaster/internal/joined"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// This file has what a Mux and a Group register besides routes: Groups,
// middleware, mounted handlers and files.

// Group returns a Group with the given prefix, a path that may have parameters.
// It panics if prefix is not a valid path or ends in a catch-all.
func (m *scope) Group(prefix string) *Group { return m.group(prefix, false) }

// Route calls fn with a new Group that owns its prefix: requests at or below the
// prefix are served by routes of the Group, or by routes of the Mux with a more
// specific pattern. All others get the Group's 404, 405, OPTIONS or redirect
// response, inside its middleware, even if a catch-all elsewhere matches. A Mux
// mounted on the prefix would do the same. With the prefix /, it owns all that
// the enclosing Mux or Group has. Route panics if prefix is invalid or fn is nil.
func (m *scope) Route(prefix string, fn func(*Group)) {
	if fn == nil {
		panic(fmt.Sprintf("muxmaster: Route %q: the function is nil", prefix))
	}
	fn(m.group(prefix, true))
}

// With returns a Group with the same prefix and additional middleware. The
// middleware applies to the routes registered on the returned Group, and not to
// responses to unmatched requests.
func (m *scope) With(mw ...func(http.Handler) http.Handler) *Group {
	return m.with(level{middleware: steps("With", mw)})
}

// Name returns a Group whose routes have a name:
//
//	mux.Name("user.show").GET("/users/:id", showUser)
//	path, err := mux.URL("user.show", "id", "42") // /users/42
//
// A name belongs to one route, or to those of one list of methods; registering
// another one with it panics. A Mux also knows the names of the Muxes mounted
// on it. So a Mux that has named routes can be mounted on it only once.
func (m *scope) Name(name string) *Group {
	if name == "" {
		panic("muxmaster: Name: the name is empty")
	}
	return m.with(level{label: &label{name: name}})
}

// Annotate returns a Group whose routes, and those of the Groups inside it,
// carry a value. [Route.Value] returns it, for example in middleware that gets
// the Route from [Mux.Lookup]. As with [context.WithValue], key must be
// comparable, and should have a type of its own.
func (m *scope) Annotate(key, value any) *Group {
	if key == nil || !reflect.TypeOf(key).Comparable() {
		panic("muxmaster: Annotate: the key must be comparable, and not nil")
	}
	return m.with(level{label: &label{key: key, value: value}})
}

func (m *scope) group(prefix string, owns bool) *Group {
	full := m.join(prefix)
	if full == m.prefix && !owns {
		return m.with(level{})
	}
	g := &Group{scope: scope{m.mux, &level{parent: m.level, prefix: full, owns: owns}}}
	g.level.group = g
	must(m.change(func(m *Mux, d *draft) error { return d.add(m, []*level{g.level}, nil) }))
	return g
}

// with returns a Group with the prefix of s.
func (m *scope) with(l level) *Group {
	m.live()
	l.parent, l.prefix, l.inline = m.level, m.prefix, true
	return &Group{scope: scope{m.mux, &l}}
}

// join returns the prefix of s followed by prefix, without a trailing slash.
func (m *scope) join(prefix string) string {
	m.live()
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return m.prefix
	}
	_, err := parsePrefix(prefix)
	if err == nil {
		_, err = parsePrefix(m.prefix + prefix)
	}
	if err != nil {
		panic(fmt.Sprintf("muxmaster: prefix %q: %v", m.prefix+prefix, err))
	}
	return m.prefix + prefix
}

// Use adds middleware to a Mux or Group. It wraps the http.Handler routes that
// are registered afterwards, including those of Groups created from it. The
// first middleware is the outermost; the middleware of enclosing Groups and of
// the Mux is further out. On a Mux, it also wraps the 404, 405, OPTIONS and
// redirect responses; on a Group, those below its prefix.
//
// Each middleware function is called once for each route, and once for the
// responses above. State created in the call belongs to one route. Create state
// that routes share, such as a rate limiter's counters, outside of the
// function.
//
// Use panics if a route was already registered in the scope, and registering a
// fast route in a scope with Use middleware panics, so that no route bypasses
// the middleware unnoticed. The middleware runs after routing, so it can't
// change which route serves the request. For middleware that rewrites the path,
// such as [http.StripPrefix], use Pre or Mount. Use panics if the handler that
// a middleware function returns has a method RunsBeforeRouting(), as those of
// middleware.CleanPath and middleware.StripSlashes do.
func (m *scope) Use(mw ...func(http.Handler) http.Handler) {
	m.addMiddleware("Use", steps("Use", mw))
}

// UseFast is like Use but adds middleware for fast routes. Registering a route
// of an http.Handler in its scope panics.
func (m *scope) UseFast(mw ...FastMiddleware) {
	m.addMiddleware("UseFast", steps("UseFast", mw))
}

// Pre adds middleware that runs for every request before routing. The first
// middleware is the outermost, and Pre middleware is outside all other
// middleware. It may change the path or the method of the request. If it passes
// on a copy of the request, middleware outside of it doesn't see the path
// values and the pattern. r.Pattern is empty before routing, even if another
// router has set it.
//
// If the Mux is mounted on another Mux, its Pre middleware runs after routing,
// for the requests at or below the mount's prefix that this Mux responds to.
// Pre panics if the Mux is already mounted.
func (m *Mux) Pre(mw ...func(http.Handler) http.Handler) {
	added := steps("Pre", mw)
	for _, s := range added {
		s.pre = true
	}
	must(m.change(func(m *Mux, d *draft) error {
		if len(d.view(m).mounted) > 0 {
			return errors.New("muxmaster: Pre on a Mux that is mounted: its routes would bypass the middleware; call Pre before Mount")
		}
		decl := d.edit(m)
		pre, own := decl.middleware.split()
		decl.middleware = slices.Concat(pre, added, own)
		return nil
	}))
}

// addMiddleware adds middleware to that of s.
func (m *scope) addMiddleware(method string, added chain) {
	again := false
	must(m.change(func(mux *Mux, d *draft) error {
		decl, own, used := d.edit(mux), &m.level.middleware, m.level.used
		switch {
		case m.parent == nil:
			own, used = &decl.middleware, decl.used
		case again: // a draft repeats its changes, but the Group has the middleware
			return nil
		}
		if used {
			return fmt.Errorf("muxmaster: %s after %s: the route would bypass the middleware; "+
				"call %s first, or With for the routes that follow", method, decl.routes.first(m.level), method)
		}
		*own, again = append(slices.Clip(*own), added...), true
		return nil
	}))
}

// Mount registers h for prefix and everything below it, for every method.
// Routes with a more specific pattern take precedence. h serves the prefix
// itself without a redirect, and it sees the unchanged path; use
// [http.StripPrefix] to remove the prefix.
//
// If h is a *Mux, its routes become routes of this Mux under the prefix,
// including those registered later. They are as fast as other routes, and their
// handlers also see the path values of the prefix. The mounted Mux also
// responds to all other requests at or below the prefix, inside its middleware,
// with its 404, 405, OPTIONS and redirect responses; a catch-all route of this
// Mux never gets them. Path values are pooled only if both Muxes enable it.
//
// Mount panics if prefix is not a valid path, h is nil, a *Group or the Mux that
// an Update passes, or a route conflicts.
func (m *scope) Mount(prefix string, h http.Handler) {
	if isNil(h) {
		panic(fmt.Sprintf("muxmaster: Mount %q: the handler is nil", prefix))
	}
	if prefix == "" || prefix[0] != '/' {
		panic(fmt.Sprintf("muxmaster: Mount %q: the prefix must begin with /", prefix))
	}
	full := m.join(prefix)
	switch h := h.(type) {
	case *Group:
		h.live()
		panic(fmt.Sprintf("muxmaster: Mount %q: a Group cannot be mounted, because its routes belong to its Mux; mount a Mux made by New", prefix))
	case *Mux:
		must(m.mountMux(full, h))
	default:
		m.handleAll(h, 0, full, full+"/")
	}
}

// mountMux adds the levels and routes of sub to the Mux of s.
func (m *scope) mountMux(prefix string, sub *Mux) error {
	sub = sub.live()
	inner := sub.origin()
	joined.Join(&m.live().origin().tree, &inner.tree)
	return m.change(func(mux *Mux, d *draft) error {
		switch {
		case d.within(mux, inner):
			return fmt.Errorf("muxmaster: Mount %q: a Mux cannot be mounted within itself", prefix)
		case sub != inner:
			return fmt.Errorf("muxmaster: Mount %q: the Mux that Update passes cannot be mounted before Update has returned", prefix)
		}
		decl := d.view(sub)
		pre, _ := decl.middleware.split()
		mnt := &mount{on: mux, pre: pre, level: &level{parent: m.level, mux: sub, prefix: prefix, owns: true}}
		mnt.levels = map[*level]*level{sub.level: mnt.level}
		a, err := d.expand(mnt, decl.levels, decl.routes.list())
		if err == nil {
			err = d.add(mux, slices.Concat([]*level{mnt.level}, a.levels), a.routes)
		}
		if err == nil {
			decl = d.edit(sub)
			decl.mounted = append(slices.Clip(decl.mounted), mnt) // programs share the slice
		}
		return err
	})
}

// within reports whether m is other, or mounted on it or inside of it. The caller
// holds the lock.
func (d *draft) within(m, other *Mux) bool {
	return m == other || slices.ContainsFunc(d.view(m).mounted, func(mnt *mount) bool { return d.within(mnt.on, other) })
}

// handleAll registers h for all of the patterns, or panics. It ignores patterns
// without a path, because the root has no form without a slash. Only Mount and
// ServeSPA may call it, because it records the location of their caller.
func (m *scope) handleAll(h http.Handler, flags trie.Flags, texts ...string) {
	var list []route
	for _, text := range texts {
		if !strings.Contains(text, "/") {
			continue
		}
		p, err := parse(text, flags)
		must(err)
		list = append(list, route{pattern: text, flags: flags, parsed: p})
	}
	must(m.register(h, calledFrom(), list...))
}

// ServeFiles serves the files of fsys for GET and HEAD requests. The path must
// end in a catch-all, whose value is the name of the file:
//
//	root, err := os.OpenRoot("public")
//	// ...
//	mux.ServeFiles("/static/*filepath", root.FS())
//
// Use [os.Root] or an embed.FS: [os.DirFS] follows symbolic links that lead out
// of the directory. All of them serve files whose names begin with a dot, such
// as .env and .git/config, if they are there.
//
// It serves files as [http.FileServerFS] does, including the redirects to and
// from index.html, but without directory listings. The response is 404 for a
// directory without an index.html, for a file that can't be opened or read, or
// has no Seek method, as those of a zip.Reader, and for a name that contains an
// escaped slash, a backslash, a NUL byte or invalid UTF-8. So requests such as
// /static/..%5Csecret cannot reach a file outside of the path.
//
// If there is a compressed file beside a file (app.js.br, app.js.zst or
// app.js.gz beside app.js) that the client accepts and that is at most a minute
// older, it is sent instead, with Content-Encoding and the type of the file.
// Ranges refer to what is sent.
//
// A file whose modification time says nothing gets an ETag of its content
// instead of Last-Modified: if it is zero, as in an embed.FS, or the same for all
// files, as in reproducible builds.
func (m *scope) ServeFiles(path string, fsys fs.FS) {
	if fsys == nil {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the file system is nil", path))
	}
	m.live()
	p, err := parse("GET "+m.prefix+path, trie.Verb)
	must(err)
	if p.Rest == "" {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the path must end in a catch-all, as in /static/*filepath", path))
	}
	m.verb(http.MethodGet, path, files.NewServer(fsys, p.Rest, noFile))
}

// ServeSPA serves a single-page application for GET and HEAD requests: the
// files of fsys below prefix, and index.html for all other pages.
//
//	root, err := os.OpenRoot("dist")
//	// ...
//	mux.ServeSPA("/", root.FS())
//
// The response is
//
//   - the file, if the path names one. A file whose name contains a hash of a
//     build tool, such as app.3f2a9c1b.js or index-DiwrgTda.css, is cacheable for
//     a year (immutable, RFC 8246). Clients revalidate all other files, and those
//     whose hash might be a word, a date or a number.
//   - otherwise index.html with status 200, if the Accept header names text/html,
//     as that of a browser for a page does, so that the application can show it.
//     The ranges */* and text/* don't count.
//   - otherwise a 404, for example for a missing script or image.
//
// More specific routes and mounts, such as /api/, take precedence. ServeSPA sends
// compressed files and ETags, and rejects file names, as [Router.ServeFiles]
// does. It panics if fsys has no index.html.
func (m *scope) ServeSPA(prefix string, fsys fs.FS) {
	if fsys == nil {
		panic(fmt.Sprintf("muxmaster: ServeSPA %q: the file system is nil", prefix))
	}
	if _, err := fs.Stat(fsys, "index.html"); err != nil {
		panic(fmt.Sprintf("muxmaster: ServeSPA %q: the file system needs an index.html: %v", prefix, err))
	}
	bare := m.join(prefix)
	m.handleAll(files.NewSPA(fsys, spaRest, noFile), trie.Verb, "GET "+bare+"/*"+spaRest, "GET "+bare)
}

// spaRest is the name of the catch-all in the pattern of ServeSPA.
const spaRest = "filepath"

func noFile(w http.ResponseWriter, r *http.Request) {
	problem.Write(w, r, problem.Code(http.StatusNotFound))
}
