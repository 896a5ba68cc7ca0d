package compare

import (
	"slices"
	"strings"

	"github.com/seed-1954dcaa/muxmaster/bench/figure"
)

// A feature is one row of the second table.
type feature struct {
	text string

	// test is the test that shows that muxmaster has it; recipe is the heading in
	// docs/recipes.md, and reason says why it has neither.
	test, recipe, reason string

	// others says which routers have it, and where: an exported identifier of the
	// router's package, or of a package below it ("middleware: StaticConfig.HTML5").
	// A router that has it by recipe has "recipe: " and a file of its module with
	// a text in it, or an identifier. "no: " says why an identifier isn't it.
	others map[string]string

	// words matches identifiers that a router would have with the feature. Those
	// that don't have it must not have such an identifier.
	words string
}

// peers are the other columns of the second table. huma is an API framework on top
// of other routers: what a router does counts as no.
var peers = append(slices.Clone(routers[1:]), router{name: "huma", module: "github.com/danielgtaylor/huma/v2"})

var features = []feature{
	{text: "names of routes, and their URLs", test: "TestName",
		others: map[string]string{"echo": "Routes.Reverse", "fiber": "DefaultRes.GetRouteURL", "gorilla/mux": "Route.URL"},
		words:  `Reverse$|RouteURL|^Route.*\.URL|URLFor$|BuildURL`},
	{text: "annotations on routes, read in middleware", test: "TestAnnotate",
		others: map[string]string{"fox": "WithAnnotation", "huma": "Operation.Metadata"},
		words:  `Annotat|Metadata`},
	{text: "middleware that is made for one route, and knows its name and annotations", test: "TestUseRoute",
		others: map[string]string{"fox": "no: WithMiddlewareFor is for routes or for 404, 405 and the like"},
		words:  `(?i)UseRoute|RouteMiddleware|MiddlewareFor|ForRoute`},
	{text: "QUERY (RFC 10008) by its name", test: "TestAllow",
		others: map[string]string{"chi": "Mux.Query", "echo": "Echo.QUERY", "fiber": "App.Query", "fox": "MethodQuery"},
		words:  `^(Method)?(QUERY|Query)$|^(Mux|Router|Engine|App)\.(QUERY|Query)$`},
	{text: "routes removed while serving", test: "TestRemove",
		others: map[string]string{"echo": "NewConcurrentRouter", "fox": "Router.Delete", "fiber": "no: RebuildTree, which must follow RemoveRoute, isn't safe while serving"},
		words:  `^(Mux|ServeMux|Router|Engine|App|RouterGroup|Group)\.(Remove|Unregister)(Route)?$`},
	{text: "all routes replaced at once, while serving", test: "TestUpdateReplacesAllRoutes",
		others: map[string]string{"fox": "Router.Updates"},
		words:  `^(Mux|ServeMux|Router|Engine|App)\.(Txn|Updates?|Swap|Replace)$`},
	{text: "a catch-all inside a path", test: "TestPrecedence",
		others: map[string]string{"fiber": "RoutePatternMatch", "gorilla/mux": "Route.Path", "fox": "Router.Add"},
		words:  `(?i)infix`},
	{text: "paths in another case reach their route", test: "TestRedirectCase",
		others: map[string]string{"gin": "Engine.RedirectFixedPath", "httprouter": "Router.RedirectFixedPath", "fiber": "Config.CaseSensitive",
			"fox": "no: WithHandleFixedPath cleans paths only"},
		words: `(?i)fixedpath|case_?(in)?sensitive|ignorecase`},
	{text: "typed path values", test: "TestPathParamAs",
		others: map[string]string{"gin": "Context.ShouldBindUri", "echo": "PathParam", "fiber": "Params", "bunrouter": "Params.Int64", "huma": "Register"},
		words:  `Bind(Uri|URI|Path)|PathParam|Params?\.Int|ParamInt`},
	{text: "typed query values", test: "TestQueryAs",
		others: map[string]string{"gin": "Context.ShouldBindQuery", "echo": "QueryParam", "fiber": "Query", "huma": "Register"},
		words:  `BindQuery|QueryInt|Query(Param)?(As|Or)$`},
	{text: "JSON bodies read strictly and validated", test: "TestReadJSONValidates",
		others: map[string]string{"gin": "EnableJsonDecoderDisallowUnknownFields", "echo": "recipe: Echo.Validator", "fiber": "recipe: Config.StructValidator", "huma": "Register"},
		words:  `Validat|DisallowUnknown`},
	{text: "handlers that return errors", test: "TestHandler",
		others: map[string]string{"echo": "HTTPErrorHandler", "fiber": "ErrorHandler", "bunrouter": "HandlerFunc", "huma": "Register"},
		words:  `ErrorHandler`},
	{text: "files: precompressed siblings", test: "TestStoreSendsSiblings",
		others: map[string]string{"fiber": "Config.CompressedFileSuffixes"},
		words:  `(?i)precompress|CompressedFile`},
	{text: "a single-page application's index for unknown paths", test: "TestServeSPA",
		others: map[string]string{"echo": "middleware: StaticConfig.HTML5", "fiber": "recipe: docs/middleware/static.md: SPA (Single Page Application)", "gorilla/mux": "recipe: README.md: Serving Single Page Applications"},
		words:  `SPA$|HTML5`},
	{text: "OpenAPI document of the routes", test: "TestOpenAPI",
		others: map[string]string{"huma": "OpenAPI"},
		words:  `(?i)openapi|swagger`},
	{text: "says why a route wins", test: "TestExplain", words: `(?i)explain`},
	{text: "compares two versions' responses", test: "TestCompare", words: `^Compare$|^Diff`},
	{text: "shows the routes that no test reached", test: "TestCoverage", words: `(?i)coverage|unused`},
	{text: "matches headers or queries", recipe: "Match by header or query",
		others: map[string]string{"chi": "middleware: RouteHeaders", "gorilla/mux": "Route.Headers", "fox": "WithHeaderMatcher"},
		words:  `HeaderMatcher|QueryMatcher|RouteHeaders|^Route\.(Headers|Queries)$`},
	{text: "HTTP/3", recipe: "HTTP/3",
		others: map[string]string{"http.ServeMux": "recipe: ServeMux.ServeHTTP", "chi": "recipe: Mux.ServeHTTP", "gin": "Engine.RunQUIC", "echo": "recipe: Echo.ServeHTTP",
			"gorilla/mux": "recipe: Router.ServeHTTP", "httprouter": "recipe: Router.ServeHTTP", "bunrouter": "recipe: Router.ServeHTTP", "fox": "recipe: Router.ServeHTTP", "huma": "recipe: API"},
		words: `QUIC|HTTP3`},
	{text: "WebSockets over HTTP/2 (RFC 8441)", test: "TestConnectProtocol",
		others: map[string]string{"http.ServeMux": "recipe: ServeMux.ServeHTTP", "chi": "recipe: Mux.ServeHTTP", "gin": "recipe: Engine.ServeHTTP", "echo": "recipe: Echo.ServeHTTP",
			"gorilla/mux": "recipe: Router.ServeHTTP", "httprouter": "recipe: Router.ServeHTTP", "bunrouter": "recipe: Router.ServeHTTP", "fox": "recipe: Router.ServeHTTP", "huma": "recipe: API"},
		words: `ConnectProtocol|ExtendedConnect`},
	{text: "matches schemes or client addresses", reason: "a proxy decides both: use middleware",
		others: map[string]string{"gorilla/mux": "Route.Schemes", "fox": "WithSchemeMatcher"},
		words:  `SchemeMatcher|ClientIPMatcher|\.Schemes$`},
	{text: "renders templates", reason: "html/template is enough",
		others: map[string]string{"gin": "Context.HTML", "echo": "Renderer", "fiber": "DefaultRes.Render"},
		words:  `^Template|TemplateRenderer|HTMLRender|\.HTML$`},
}

// featureTable returns the table in Markdown.
func featureTable() string {
	var b strings.Builder
	head := []string{"", "muxmaster"}
	for _, p := range peers {
		head = append(head, p.name)
	}
	b.WriteString(figure.Head(len(head), head...))
	for _, f := range features {
		ours := "no: " + f.reason
		switch {
		case f.test != "":
			ours = "yes: `" + f.test + "`"
		case f.recipe != "":
			ours = "[by recipe](recipes.md#" + strings.NewReplacer(" ", "-", "/", "").Replace(strings.ToLower(f.recipe)) + ")"
		}
		cells := []string{f.text, ours}
		for _, p := range peers {
			switch at := f.others[p.name]; {
			case at == "", strings.HasPrefix(at, "no: "):
				cells = append(cells, "no")
			case strings.HasPrefix(at, "recipe: "):
				cells = append(cells, "by recipe")
			default:
				cells = append(cells, "yes")
			}
		}
		b.WriteString(figure.Row(cells...))
	}
	return b.String()
}
