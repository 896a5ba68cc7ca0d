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
	"github.com/seed-1954dcaa/muxmaster/internal/pattern"
	"github.com/seed-1954dcaa/muxmaster/internal/trie"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

// This file has what a Mux and a Group register besides routes: Groups,
// middleware and files.

// Group returns a Group with the given prefix, a path that may have parameters.
// It panics if prefix is not a valid path or ends in a catch-all.
func (m *scope) Group(prefix string) *Group { return m.group(prefix, false) }

// Route calls fn with a new Group that owns its prefix: requests at or below the
// prefix are served by routes of the Group, or by routes of the Mux with a more
// specific pattern. All others get the Group's 404, 405, OPTIONS or redirect
// response, inside its middleware, even if a catch-all elsewhere matches. A Mux
// mounted on the prefix would do the same. A route of the Mux for the prefix
// itself, such as ANY /api beside Route("/api", fn), serves the methods for which
// the Group has no route. With the prefix /, the Route owns all that the enclosing
// Mux or Group has. Route panics if prefix is invalid or fn is nil.
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
	return m.with(&level{middleware: steps("With", mw)})
}

// Host returns a Group for requests to a host, with the prefix and middleware of the
// scope. pattern is a host name, exact or with parameters for labels:
//
//	api := mux.Host("api.example.com")
//	tenant := mux.Host("{tenant}.example.com")
//	tenant.GET("/", home) // r.PathValue("tenant")
//
// {sub...} stands for one or more labels. The Group's routes take precedence over
// routes without a host, as those of Handle with a host do, which also serve the
// requests of the host that no route of the Group matches. The Group responds if no
// route matches, unless a Group or Mux with a longer prefix does; NotFound and
// middleware see the parameters. Host panics if pattern isn't a host, has a scheme,
// a port or a path, or if the scope is inside another Host.
func (m *scope) Host(pattern string) *Group {
	m.target()
	host, err := parseHost(pattern, m.host)
	if err != nil {
		panic(fmt.Sprintf("muxmaster: Host %q: %v", pattern, err))
	}
	if _, err = parsePrefix(host, m.prefix); err != nil {
		panic(fmt.Sprintf("muxmaster: Host %q: %v", host+m.prefix, err))
	}
	return m.answering(&level{host: host, prefix: m.prefix})
}

// parseHost returns the host that a pattern names, inside that of a scope.
func parseHost(text, outer string) (string, error) {
	host := text
	if _, rest, found := strings.Cut(text, "://"); found {
		host = rest
	}
	host, _, _ = strings.Cut(host, "/")
	bare := strings.TrimRight(host, "0123456789")
	if bare = strings.TrimSuffix(bare, ":"); !strings.HasPrefix(host[len(bare):], ":") {
		bare = host // ends in digits, or has no port
	}
	switch {
	case outer != "":
		return "", fmt.Errorf("it is inside Host(%q); a request has one host, so call Host on the Mux", outer)
	case text == "" || strings.ContainsAny(host, " \t?#@") || strings.Contains(strings.ReplaceAll(host, "...}", "}"), ".."):
		return "", errors.New("it is not a host; write one such as example.com or {tenant}.example.com")
	case bare == "":
		return "", errors.New("the host is missing")
	case strings.Count(host, ":") > 1 && !strings.HasPrefix(host, "[") && !strings.Contains(host, "{"):
		return "", fmt.Errorf("an IPv6 address is written in brackets: [%s]", host)
	case bare != text:
		return "", fmt.Errorf("a host has no scheme, port or path; write %q", bare)
	}
	return host, nil
}

// Name returns a Group whose routes have a name:
//
//	mux.Name("user.show").GET("/users/:id", showUser)
//	path, err := mux.URL("user.show", "id", "42") // /users/42
//
// A name belongs to one route of the Mux, or to those of one list of methods;
// registering another one with it panics. [Mux.URL] also finds the names of mounted
// Muxes.
func (m *scope) Name(name string) *Group {
	if name == "" {
		panic("muxmaster: Name: the name is empty")
	}
	return m.with(&level{label: &label{name: name}})
}

// Annotate returns a Group whose routes, and those of the Groups inside it,
// carry a value. [Route.Value] returns it, for example in middleware of
// [Router.UseRoute]. As with [context.WithValue], key must be comparable, and should
// have a type of its own.
func (m *scope) Annotate(key, value any) *Group {
	if key == nil || !reflect.TypeOf(key).Comparable() {
		panic("muxmaster: Annotate: the key must be comparable, and not nil")
	}
	return m.with(&level{label: &label{key: key, value: value}})
}

func (m *scope) group(prefix string, owns bool) *Group {
	full, p := m.join(prefix)
	switch {
	case full == m.prefix && !owns:
		return m.with(&level{})
	case owns && p.Multi() >= 0: // which of several values would own the path?
		panic(fmt.Sprintf("muxmaster: prefix %q: the prefix of Route cannot have a catch-all; use Group", full))
	}
	return m.answering(&level{host: m.host, prefix: full, owns: owns})
}

// answering returns a Group that responds to unmatched requests.
func (m *scope) answering(l *level) *Group {
	l.parent, l.order = m.level, registrations.Add(1)
	mux := m.lock()
	defer mux.mu.Unlock()
	g := &Group{scope: scope{m.mux, l}}
	l.group = g
	// As the first one responds, a program that makes the same Group again and again
	// doesn't keep them all.
	if place := fmt.Sprint(l.host, l.prefix, l.owns); mux.empty[place] == nil || mux.empty[place].used {
		if mux.empty == nil {
			mux.empty = map[string]*level{}
		}
		mux.empty[place] = l
		mux.changed()
	}
	return g
}

// with returns a Group with the host and prefix of s.
func (m *scope) with(l *level) *Group {
	m.target()
	l.parent, l.host, l.prefix, l.inline = m.level, m.host, m.prefix, true
	return &Group{scope: scope{m.mux, l}}
}

// join returns the prefix of s followed by prefix, without a trailing slash, and its
// pattern.
func (m *scope) join(prefix string) (full string, p *pattern.Pattern) {
	m.target()
	full = m.prefix + strings.TrimSuffix(prefix, "/")
	p, err := parsePrefix(m.host, full)
	if prefix != "" && prefix[0] != '/' {
		err = errors.New("the path must begin with /")
	}
	if err != nil {
		panic(fmt.Sprintf("muxmaster: prefix %q: %v", full, err))
	}
	return full, p
}

// Use adds middleware to a Mux or Group. It wraps the http.Handler routes that
// are registered afterwards, including those of Groups created from it. The
// first middleware is the outermost; the middleware of enclosing Groups and of
// the Mux is further out. On a Mux, it also wraps the 404, 405, OPTIONS and
// redirect responses; on a Group, those below its prefix.
//
// Each middleware function is called once for each route, and once for the
// responses above of each scope, when they are needed. State created in the
// call belongs to one route. Create state that routes share, such as a rate
// limiter's counters, outside of the function.
//
// Use panics if a route was already registered in the scope, and registering a
// fast route in a scope with Use middleware panics, so that no route bypasses
// the middleware unnoticed. The middleware runs after routing, so it can't
// change which route serves the request. For middleware that rewrites the path,
// such as [http.StripPrefix], use Pre or Mount. Use panics if the handler that
// a middleware function returns has a method RunsBeforeRouting(), as those of
// middleware.CleanPath and middleware.StripSlashes do.
func (m *scope) Use(mw ...func(http.Handler) http.Handler) { addMiddleware(m, "Use", mw) }

// UseRoute is like Use but adds middleware that is made for one route and knows it: a
// limit, a timeout or the scopes of a login by the route's name or annotations,
// without a lookup for each request. The function is called once for each route and
// method, when the route is registered, and once for the responses of each scope to
// unmatched requests, with the zero Route, which has no annotations. In a Mux that
// is mounted, route is as that Mux declares it, without the prefix of the mount and
// the annotations around it.
func (m *scope) UseRoute(mw ...func(route Route, next http.Handler) http.Handler) {
	addMiddleware(m, "UseRoute", mw)
}

// UseFast is like Use but adds middleware for fast routes. Registering a route
// of an http.Handler in its scope panics.
func (m *scope) UseFast(mw ...FastMiddleware) { addMiddleware(m, "UseFast", mw) }

// Pre adds middleware that runs for every request before routing. The first
// middleware is the outermost, and Pre middleware is outside all other
// middleware of the Mux. It may change the path or the method of the request. If it
// passes on a copy of the request, middleware outside of it doesn't see the path
// values and the pattern. r.Pattern is empty before routing, even if another
// router has set it.
//
// If the Mux is mounted on another Mux, its Pre middleware runs for the requests
// below the mount.
func (m *Mux) Pre(mw ...func(http.Handler) http.Handler) {
	added := steps("Pre", mw)
	mux := m.lock()
	defer mux.mu.Unlock()
	mux.pre = slices.Concat(mux.pre, added)
	mux.changed()
}

// addMiddleware adds middleware to that of m.
func addMiddleware[F middleware](m *scope, method string, mw []F) {
	added := steps(method, mw)
	mux := m.lock()
	defer mux.mu.Unlock()
	own, used := &m.level.middleware, m.level.used
	if m.parent == nil {
		own, used = &mux.declared.middleware, mux.declared.used
	}
	if used {
		panic(fmt.Sprintf("muxmaster: %s after %s: the route would bypass the middleware; "+
			"call %s first, or With for the routes that follow", method, mux.first(m.level), method))
	}
	*own = append(slices.Clip(*own), added...)
	mux.changed()
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
// /static/..%5Csecret cannot reach a file outside of the path. If there are too
// many open files, the response is 500.
//
// If there is a compressed file beside a file (app.js.br, app.js.zst or
// app.js.gz beside app.js) that the client accepts and that is at most a minute
// older, it is sent instead, with Content-Encoding and the type of the file.
// Ranges refer to what is sent.
//
// A file whose modification time says nothing gets an ETag of its content
// instead of Last-Modified: if it is zero, as in an embed.FS, or the same for all
// files, as in reproducible builds. The ETag is computed again if the file's size
// or modification time changes, or another file has its name. On Windows, it is not
// if the same file is overwritten and has both as before.
func (m *scope) ServeFiles(path string, fsys fs.FS) {
	if fsys == nil {
		panic(fmt.Sprintf("muxmaster: ServeFiles %q: the file system is nil", path))
	}
	m.target()
	p, err := parse("GET "+m.host+m.prefix+path, trie.Verb)
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
	full, _ := m.join(prefix)
	texts := []string{"GET " + m.host + full + "/*" + spaRest}
	if full != "" { // the root has no form without a slash
		texts = append(texts, "GET "+m.host+full)
	}
	must(m.register(files.NewSPA(fsys, spaRest, noFile), trie.Verb, texts...))
}

// spaRest is the name of the catch-all in the pattern of ServeSPA.
const spaRest = "filepath"

func noFile(w http.ResponseWriter, r *http.Request, err error) {
	if err == fs.ErrNotExist {
		err = problem.Code(http.StatusNotFound)
	}
	problem.Write(w, r, err)
}
