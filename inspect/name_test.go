package inspect

import "testing"

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"main.show":                               "main.show",
		"example.com/shop/api.(*Server).Show-fm":  "api.(*Server).Show",
		"example.com/shop.routes.func4":           "shop.routes",
		"example.com/shop.routes.func4.1":         "shop.routes",
		"example.com/shop.routes.func4.func2":     "shop.routes",
		"example.com/shop.routes.func4.2.gowrap1": "shop.routes",
		"example.com/shop.routes-range1.func3":    "shop.routes",
		"example.com/shop.routes.func4.say.3":     "shop.routes",
		"example.com/shop.routes.say.func2":       "shop.routes.say",
		"example.com/shop.glob..func7":            "shop",
		"example.com/shop.init.func1":             "shop.init",
		"example.com/shop.function":               "shop.function",
		"example.com/shop.func4x":                 "shop.func4x",
		"main.list[...]":                          "main.list[...]",
		"main.list[...].func1":                    "main.list[...]",
		"*inspect.routesPage":                     "*inspect.routesPage",
		".func1":                                  ".func1",
		"":                                        "",
	} {
		if got := ShortName(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
