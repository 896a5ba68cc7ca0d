package compare

import "strings"

// A feature is one row of the second table.
type feature struct {
	text string
	// test is the test that shows that muxmaster has it; recipe is the heading in
	// docs/recipes.md, and reason says why it has neither.
	test, recipe, reason string
	others               string // in the order of featured: y for yes, r by recipe, - for no
}

// featured are the other columns.
var featured = []string{"http.ServeMux", "chi", "gin", "echo", "fiber", "gorilla/mux", "httprouter", "bunrouter", "fox", "huma"}

// huma is an API framework on top of other routers: what a router does counts
// as no.
var features = []feature{
	{text: "names of routes, and their URLs", test: "TestName", others: "---yyy----"},
	{text: "annotations on routes, read in middleware", test: "TestAnnotate", others: "--------yy"},
	{text: "routes removed while serving", test: "TestRemove", others: "---yy---y-"},
	{text: "all routes replaced at once, while serving", test: "TestUpdateReplacesAllRoutes", others: "--------y-"},
	{text: "typed path values", test: "TestPathParamAs", others: "--yyy----y"},
	{text: "typed query values", test: "TestQueryAs", others: "--yyy----y"},
	{text: "JSON bodies read strictly and validated", test: "TestReadJSONValidates", others: "--yry----y"},
	{text: "handlers that return errors", test: "TestHandler", others: "---yy--y-y"},
	{text: "files: precompressed siblings", test: "TestStoreSendsSiblings", others: "----y-----"},
	{text: "a single-page application's index for unknown paths", test: "TestServeSPA", others: "-r-yr-----"},
	{text: "OpenAPI document of the routes", test: "TestOpenAPI", others: "---------y"},
	{text: "says why a route wins", test: "TestExplain", others: "----------"},
	{text: "compares two versions' responses", test: "TestCompare", others: "----------"},
	{text: "shows the routes that no test reached", test: "TestCoverage", others: "----------"},
	{text: "matches headers or queries", recipe: "Match by header or query", others: "-y---y--y-"},
	{text: "HTTP/3", recipe: "HTTP/3", others: "rrrr-rrrrr"},
	{text: "matches schemes or client addresses", reason: "a proxy decides both: use middleware", others: "-----y--y-"},
	{text: "renders templates", reason: "html/template is enough", others: "--yyy-----"},
}

// featureTable returns the table in Markdown.
func featureTable() string {
	var b strings.Builder
	b.WriteString("|  | muxmaster | " + strings.Join(featured, " | ") + " |\n|---|" + strings.Repeat("---|", len(featured)+1) + "\n")
	for _, f := range features {
		b.WriteString("| " + f.text + " | ")
		switch {
		case f.test != "":
			b.WriteString("yes: `" + f.test + "`")
		case f.recipe != "":
			b.WriteString("[by recipe](recipes.md#" + strings.NewReplacer(" ", "-", "/", "").Replace(strings.ToLower(f.recipe)) + ")")
		default:
			b.WriteString("no: " + f.reason)
		}
		for _, has := range f.others {
			b.WriteString(" | " + map[rune]string{'y': "yes", 'r': "by recipe", '-': "no"}[has])
		}
		b.WriteString(" |\n")
	}
	return b.String()
}
