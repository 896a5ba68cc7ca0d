package compare

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
)

// A row is one row of the table.
type row struct {
	text string
	ask  func(router) string
}

// get serves a request with a new router with the routes. It returns the
// response, or a recorder with code 0 if the router panics.
func get(r router, method, target string, routes ...route) (w *httptest.ResponseRecorder) {
	w = httptest.NewRecorder()
	w.Code = 0
	defer func() {
		if recover() != nil {
			w = httptest.NewRecorder()
			w.Code = 0
		}
	}()
	served := httptest.NewRecorder()
	r.load(routes).ServeHTTP(served, httptest.NewRequest(method, target, nil))
	return served
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

func serves(r router, want, target string, routes ...route) bool {
	w := get(r, "GET", target, routes...)
	return w.Code == http.StatusOK && w.Body.String() == want
}

// status returns the status of a response, and whether it has an Allow header.
func status(w *httptest.ResponseRecorder) string {
	text := fmt.Sprint(w.Code)
	if w.Header().Get("Allow") != "" {
		text += ", `Allow`"
	}
	return text
}

var item = route{"GET", "", "/a/{id}"}

var rows = []row{
	{"handler", func(r router) string { return r.handler }},
	{"a plain `http.Handler` reads values with", func(r router) string { return r.values }},
	{"`/a/me` wins over `/a/{id}`, registered in any order", func(r router) string {
		me := route{"GET", "", "/a/me"}
		return yes(serves(r, "/a/me ", "/a/me", item, me) && serves(r, "/a/me ", "/a/me", me, item))
	}},
	{"`/a/{id}/x` serves `/a/me/x` beside `/a/me/y`", func(r router) string {
		x, y := route{"GET", "", "/a/{id}/x"}, route{"GET", "", "/a/me/y"}
		return yes(serves(r, "/a/{id}/x me", "/a/me/x", x, y))
	}},
	{"text after a parameter: `/{id}.json`", func(r router) string {
		file := route{"GET", "", "/{id}.json"}
		return yes(serves(r, "/{id}.json me", "/me.json", file) && get(r, "GET", "/me.txt", file).Code == http.StatusNotFound)
	}},
	{"expressions in patterns", func(r router) string {
		if r.expression == "" {
			return "no"
		}
		n := route{"GET", "", "/n/" + r.expression}
		return yes(serves(r, n.path+" 12", "/n/12", n) && get(r, "GET", "/n/x", n).Code == http.StatusNotFound)
	}},
	{"routes of a host", func(r router) string {
		host := route{"GET", "a.test", "/a/{id}"}
		return yes(serves(r, "/a/{id} 1", "http://a.test/a/1", host) && get(r, "GET", "http://b.test/a/1", host).Code == http.StatusNotFound)
	}},
	{"`/a/{x}` after `/a/{id}` is rejected", func(r router) string {
		refused := get(r, "GET", "/a/1", item, route{"GET", "", "/a/{x}"}).Code == 0
		return yes(refused)
	}},
	{"value of `/a/x%2Fy`", func(r router) string {
		w := get(r, "GET", "/a/x%2Fy", item)
		if value, ok := strings.CutPrefix(w.Body.String(), item.path+" "); ok && w.Code == http.StatusOK {
			return "`" + value + "`"
		}
		return fmt.Sprint(w.Code)
	}},
	{"POST to a GET route", func(r router) string { return status(get(r, "POST", "/a/1", item)) }},
	{"HEAD to a GET route", func(r router) string { return status(get(r, "HEAD", "/a/1", item)) }},
	{"OPTIONS to a GET route", func(r router) string { return status(get(r, "OPTIONS", "/a/1", item)) }},
	{"`/a/1/` if there is `/a/{id}`", func(r router) string { return status(get(r, "GET", "/a/1/", item)) }},
}

// table returns the table in Markdown; goMod is the text of the module's go.mod.
func table(goMod string) string {
	var b strings.Builder
	head := []string{""}
	for _, r := range routers {
		name := r.name
		if r.module != "" {
			name += " " + regexp.MustCompile(regexp.QuoteMeta(r.module) + ` (\S+)`).FindStringSubmatch(goMod)[1]
		}
		head = append(head, name)
	}
	b.WriteString(tableRow(head...) + "|" + strings.Repeat("---|", len(head)) + "\n")
	for _, q := range rows {
		cells := []string{q.text}
		for _, r := range routers {
			cells = append(cells, q.ask(r))
		}
		b.WriteString(tableRow(cells...))
	}
	return b.String()
}

func read(name string) (string, error) {
	text, err := os.ReadFile(name)
	return string(text), err
}

func tableRow(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
