package inspect

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"main.show":                                          "main.show",
		"example.com/shop/api.(*Server).Show-fm":             "api.(*Server).Show",
		"example.com/shop.routes.func4":                      "shop.routes",
		"example.com/shop.routes.func4.1":                    "shop.routes",
		"example.com/shop.routes.func4.func2":                "shop.routes",
		"example.com/shop.routes.func4.2.gowrap1":            "shop.routes",
		"example.com/shop.routes-range1.func3":               "shop.routes",
		"example.com/shop.routes.func4.say.3":                "shop.say",
		"main.with.func1.requireLogin.1":                     "main.requireLogin",
		"main.main.func3.with.main.func3.2.(*Auth).Check.16": "main.(*Auth).Check",
		"example.com/shop.say.1":                             "shop.say",
		"example.com/shop.say.1.1-range2":                    "shop.say",
		"example.com/shop.init.0.func1":                      "shop.init",
		"example.com/shop.routes.say.func2":                  "shop.routes.say",
		"example.com/shop.glob..func7":                       "shop",
		"example.com/shop.init.func1":                        "shop.init",
		"example.com/shop.function":                          "shop.function",
		"example.com/shop.func4x":                            "shop.func4x",
		"main.list[...]":                                     "main.list[...]",
		"*api.Endpoint[example.com/shop.Item]":               "*api.Endpoint[example.com/shop.Item]",
		"example.com/auth/v2.Check.func1":                    "auth.Check",
		"example.com/shop/v2/users/v1.(*API).Show-fm":        "v1.(*API).Show",
		"main.list[...].func1":                               "main.list[...]",
		"*inspect.routesPage":                                "*inspect.routesPage",
		".func1":                                             ".func1",
		"":                                                   "",
	} {
		if got := ShortName(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestNamesOfMiddleware runs a program that makes middleware in functions,
// methods, generic functions, closures and another package, with and without
// inlining. The names are the same with each Go release, as .ci/run checks.
func TestNamesOfMiddleware(t *testing.T) {
	want := strings.Fields(`main.plain auth.Check auth.Login main.requireLogin main.requireLogin
		main.requireLogin auth.Login auth.Login auth.For[...] auth.Deep auth.(*Auth).Login auth.(*Of[...]).Login
		main.requireLogin auth.Login auth.Login auth.For[...] auth.Deep auth.(*Auth).Login auth.(*Of[...]).Login
		main.requireLogin auth.Login auth.Login auth.For[...] auth.Deep auth.(*Auth).Login auth.(*Of[...]).Login
		main.requireLogin auth.Login auth.Deep auth.(*Auth).Login
		main.requireLogin auth.Login auth.Deep main.main
		main.requireLogin auth.Login auth.(*Auth).Login auth.(*Auth).Check middleware.Timeout
		main.requireLogin auth.Login auth.(*Auth).Login
		main.requireLogin auth.Login main.requireLogin auth.Login`)
	for i := range want {
		want[i] = "main.handler " + want[i]
	}
	want = append(want, "main.serve auth.Login")
	for _, flags := range []string{"", "-l"} {
		out, err := exec.Command("go", "run", "-gcflags=github.com/seed-1954dcaa/muxmaster/...="+flags, "./testdata/names").CombinedOutput()
		got := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("-gcflags=%s: %v\n%s", flags, err, strings.Join(got, "\n"))
		}
	}
}
