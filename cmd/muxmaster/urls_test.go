package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
)

// TestURLs generates the package, and compiles and runs it.
func TestURLs(t *testing.T) {
	m := muxmaster.New()
	m.GET("/unnamed", show)
	m.Name("home").GET("/", show)
	m.Name("user.show").GET("/users/{id:int}", show)
	m.Name("user-post").Method("GET,POST", "/users/{id:int}/posts/{type}", m)
	m.Name("7 files").GET("/files/*path", show)
	m.Name("func").GET("/x/{func}/{strconv}", show)
	m.Name("line").GET("/a b\nfunc x/{id}", show)
	m.Name("odd").GET("/o/{kind:type:int}/{_}/{__}", show)
	m.Name("int").GET("/y/{path:int}/{int:int}/{a-b:int}/{a_b:int}", show)
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	list, err := json.Marshal(inspect.Examine(m))
	if err != nil {
		t.Fatal(err)
	}
	var out, errors strings.Builder
	if code := run([]string{"urls", write("routes.json", list), "paths"}, &out, &errors); code != 0 {
		t.Fatalf("exit status %d: %s", code, &errors)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	write("paths/paths.go", []byte(out.String()))
	write("go.mod", []byte("module example.com/app\n\ngo 1.26\n\nrequire github.com/seed-1954dcaa/muxmaster v0.0.0\n\nreplace github.com/seed-1954dcaa/muxmaster => "+root+"\n"))
	write("main.go", []byte(`package main

import (
	"fmt"

	"example.com/app/paths"
)

func main() {
	fmt.Println(paths.Home(), paths.UserShow(-7), paths.Int(1, 2, 3, 4))
	fmt.Println(paths.UserPost(7, "a b"))
	fmt.Println(paths.Files("a/b.txt"))
	fmt.Println(paths.Func("x", "y"))
	fmt.Println(paths.Line("1"))
	fmt.Println(paths.Odd("type:int", "a", "b"))
	_, err := paths.Func("..", "y")
	fmt.Println(err != nil)
}
`))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	got, err := cmd.CombinedOutput()
	if want := "/ /users/-7 /y/1/2/3/4\n/users/7/posts/a%20b <nil>\n/files/a/b.txt <nil>\n/x/x/y <nil>\n/a%20b%0Afunc%20x/1 <nil>\n/o/type:int/a/b <nil>\ntrue\n"; err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s\nof\n%s", err, got, want, &out)
	}
}

func TestURLsErrors(t *testing.T) {
	route := func(name, pattern string) inspect.Route {
		var r inspect.Route
		r.Name, r.Pattern = name, pattern
		return r
	}
	for _, tt := range []struct {
		routes []inspect.Route
		pkg    string
		want   string
	}{
		{nil, "urls", "no route has a name: register routes on mux.Name(name)"},
		{[]inspect.Route{route("a", "/")}, "a b", `"a b" is not the name of a package`},
		{[]inspect.Route{route("a.b", "/"), route("a-b", "/x")}, "urls", `the route names "a.b" and "a-b" are both AB in Go`},
		{[]inspect.Route{route("7", "/")}, "urls", `the route name "7" has no letter to begin a Go name with`},
		{[]inspect.Route{route("a", "/x/{id:int}"), route("a", "/x")}, "urls", `the route name "a" has two paths, "/x/{id:int}" and "/x": give each its own name`},
		{[]inspect.Route{route("a", "/{")}, "urls", `the pattern "/{": `},
	} {
		if _, err := urlFunctions(tt.pkg, tt.routes); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
