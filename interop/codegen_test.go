package interop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	gqlgen "github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/testserver"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"
	coder "github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/gorilla/sessions"
	graphql "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/relay"
	"github.com/markbates/goth"
	"github.com/markbates/goth/gothic"
	"github.com/markbates/goth/providers/faux"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var codegenRows = []row{
	{library: "github.com/oapi-codegen/oapi-codegen/v2", name: "oapi-codegen", tried: "std-http server and client generated from an OpenAPI document, client against server, below a base URL and with middleware; on a Group", run: runOAPICodegen, plain: true},
	{library: "github.com/danielgtaylor/huma/v2", name: "huma", tried: "`humago.New(mux, …)`: path, query and body, validation errors, its OpenAPI document; on a Group", run: runHuma, plain: true},
	{library: "github.com/99designs/gqlgen", name: "gqlgen", tried: "queries by GET, POST and multipart, a subscription over a websocket", run: runGqlgen, plain: true},
	{library: "github.com/graph-gophers/graphql-go", name: "graph-gophers/graphql-go", tried: "`relay.Handler` on a route with a path value in its context", run: runGraphGophers, plain: true},
	{library: "github.com/modelcontextprotocol/go-sdk", name: "MCP SDK", tried: "streamable handler on `/mcp/{tenant}`: session, tool call, the server chosen by a path value", limit: "Not with the engine's `Recycle`, because handlers of notifications, and of calls whose client has left, read the request's header after the response: `muxvet` reports it.", run: runMCP, plain: true, retains: true},
	{library: "github.com/awslabs/aws-lambda-go-api-proxy", name: "aws-lambda-go-api-proxy", tried: "API Gateway v1 and v2 and ALB events through the router, without a server", run: runLambda, plain: true, ownServer: true},
	{library: "github.com/markbates/goth", name: "markbates/goth", tried: "`gothic` finds the provider in the path value; login and callback", run: runGoth, plain: true},
}

func runHuma(s *site) {
	api := humago.New(s, huma.DefaultConfig("Notes", "1.0.0"))
	type reply struct {
		Body struct {
			Text string `json:"text"`
		}
	}
	huma.Get(api, "/notes/{id}", func(ctx context.Context, in *struct {
		ID  int    `path:"id" minimum:"1"`
		Tag string `query:"tag"`
	}) (*reply, error) {
		r := new(reply)
		r.Body.Text = fmt.Sprint(in.ID, in.Tag)
		return r, nil
	})
	huma.Put(api, "/notes/{id}/tags/{tag}", func(ctx context.Context, in *struct {
		ID   int    `path:"id"`
		Tag  string `path:"tag"`
		Body struct {
			Text string `json:"text" minLength:"2"`
		}
	}) (*reply, error) {
		r := new(reply)
		r.Body.Text = fmt.Sprint(in.ID, in.Tag, in.Body.Text)
		return r, nil
	})
	s.start(s)
	s.contains("the answer", s.get("200 ...", "/notes/7?tag=home").body, `"text":"7home"`)
	s.contains("the answer", s.get("422 ...", "/notes/0").body, `expected number >= 1`)
	const contentType = "Content-Type: application/json"
	s.contains("the answer", s.wants("200 ...", s.ask("PUT", "/notes/7/tags/a%2Fb", `{"text":"hi"}`, contentType)).body, `"text":"7a/bhi"`)
	s.contains("the answer", s.wants("422 ...", s.ask("PUT", "/notes/7/tags/a", `{"text":"h"}`, contentType)).body, `length >= 2`)
	s.contains("the answer", s.get("200 ...", "/openapi.json").body, `"/notes/{id}/tags/{tag}"`)
	s.contains("the answer", s.get("200 ...", "/docs").body, `/openapi`)
	s.wants("405 ...", s.ask("DELETE", "/notes/7", ""))
	if s.mux != nil {
		type none struct{}
		huma.Delete(humago.New(s.mux.Group("/v2"), huma.DefaultConfig("Notes", "2.0.0")), "/notes/{id}", func(ctx context.Context, in *struct {
			ID int `path:"id" maximum:"9"`
		}) (*none, error) {
			return nil, nil
		})
		s.wants("204", s.ask("DELETE", "/v2/notes/7", ""))
		s.wants("422 ...", s.ask("DELETE", "/v2/notes/10", ""))
	}
}

func runGqlgen(s *site) {
	srv := testserver.New()
	srv.AddTransport(transport.Websocket{})
	srv.AddTransport(transport.GET{})
	srv.AddTransport(transport.POST{})
	srv.AddTransport(transport.MultipartForm{})
	s.Handle("/graphql", (*gqlgen.Server)(srv.Server))
	s.start(s)
	const query, want = `{"query":"{ name }"}`, `200 {"data":{"name":"test"}}`
	s.wants(want, s.ask("POST", "/graphql", query, "Content-Type: application/json"))
	s.get(want, "/graphql?query=%7B+name+%7D")
	form := "--x\r\nContent-Disposition: form-data; name=\"operations\"\r\n\r\n" + query + "\r\n--x\r\nContent-Disposition: form-data; name=\"map\"\r\n\r\n{}\r\n--x--\r\n"
	s.wants(want, s.ask("POST", "/graphql", form, "Content-Type: multipart/form-data; boundary=x"))

	c, _, err := coder.Dial(s.Context(), s.url+"/graphql", &coder.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	s.must(err)
	defer c.CloseNow()
	for _, step := range []struct{ send, want string }{
		{`{"type":"connection_init"}`, "connection_ack"},
		{`{"id":"1","type":"subscribe","payload":{"query":"subscription { name }"}}`, "next"},
	} {
		s.must(c.Write(s.Context(), coder.MessageText, []byte(step.send)))
		if step.want == "next" {
			srv.SendNextSubscriptionMessage()
		}
		var got struct{ Type string }
		s.must(wsjson.Read(s.Context(), c, &got))
		s.equal("message", got.Type, step.want)
	}
	srv.SendCompleteSubscriptionMessage()
	s.must(c.Close(coder.StatusNormalClosure, ""))
}

// greetings resolves a GraphQL query.
type greetings struct{}

func (*greetings) Hello(ctx context.Context) string {
	return "hello " + ctx.Value(greetings{}).(string)
}

func runGraphGophers(s *site) {
	h := &relay.Handler{Schema: graphql.MustParseSchema(`type Query { hello: String! }`, new(greetings))}
	s.HandleFunc("POST /tenants/{tenant}/graphql", func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), greetings{}, r.PathValue("tenant"))))
	})
	s.start(s)
	s.wants(`200 {"data":{"hello":"hello acme"}}`, s.ask("POST", "/tenants/acme/graphql", `{"query":"{ hello }"}`))
	s.get("405 ...", "/tenants/acme/graphql")
}

func runMCP(s *site) {
	type input struct {
		Name string `json:"name"`
	}
	forTenant := func(tenant string) *mcp.Server {
		srv := mcp.NewServer(&mcp.Implementation{Name: tenant, Version: "1"}, nil)
		mcp.AddTool(srv, &mcp.Tool{Name: "greet", Description: "says hello"}, func(ctx context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello " + in.Name + " of " + tenant}}}, nil, nil
		})
		return srv
	}
	s.Handle("/mcp/{tenant}", mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return forTenant(r.PathValue("tenant")) }, nil))
	s.start(s)
	s.concurrently(func(n int) {
		client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
		session, err := client.Connect(s.Context(), &mcp.StreamableClientTransport{Endpoint: fmt.Sprint(s.url, "/mcp/t", n), HTTPClient: s.client}, nil)
		if err != nil {
			s.Error(err)
			return
		}
		defer session.Close()
		result, err := session.CallTool(s.Context(), &mcp.CallToolParams{Name: "greet", Arguments: input{"gopher"}})
		if err != nil {
			s.Error(err)
			return
		}
		s.equal("the tool's answer", result.Content[0].(*mcp.TextContent).Text, fmt.Sprint("hello gopher of t", n))
	})
}

func runLambda(s *site) {
	s.HandleFunc("POST /notes/{id}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprint(w, r.PathValue("id"), " ", r.FormValue("q"), " ", string(body), " ", err)
	})
	const want = "200 a/b 1 hello <nil>"
	query := map[string]string{"q": "1"}
	v1, err := httpadapter.New(s).ProxyWithContext(s.Context(), events.APIGatewayProxyRequest{HTTPMethod: "POST", Path: "/notes/a%2Fb", QueryStringParameters: query, Body: "hello"})
	s.must(err)
	s.equal("v1", fmt.Sprint(v1.StatusCode, " ", v1.Body), want)
	request := events.APIGatewayV2HTTPRequest{RawPath: "/notes/a%2Fb", RawQueryString: "q=1", Body: "hello"}
	request.RequestContext.HTTP.Method, request.RequestContext.HTTP.Path = "POST", "/notes/a%2Fb"
	v2, err := httpadapter.NewV2(s).ProxyWithContext(s.Context(), request)
	s.must(err)
	s.equal("v2", fmt.Sprint(v2.StatusCode, " ", v2.Body), want)
	alb, err := httpadapter.NewALB(s).ProxyWithContext(s.Context(), events.ALBTargetGroupRequest{HTTPMethod: "POST", Path: "/notes/a%2Fb", QueryStringParameters: query, Body: "hello"})
	s.must(err)
	s.equal("ALB", fmt.Sprint(alb.StatusCode, " ", alb.Body), want)
	none, err := httpadapter.New(s).ProxyWithContext(s.Context(), events.APIGatewayProxyRequest{HTTPMethod: "GET", Path: "/none"})
	s.must(err)
	s.equal("no route", none.StatusCode, 404)
}

func runGoth(s *site) {
	gothic.Store = sessions.NewCookieStore([]byte("secret"))
	goth.UseProviders(&faux.Provider{})
	defer goth.ClearProviders()
	s.HandleFunc("GET /auth/{provider}", gothic.BeginAuthHandler)
	s.HandleFunc("GET /auth/{provider}/callback", func(w http.ResponseWriter, r *http.Request) {
		user, err := gothic.CompleteUserAuth(w, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		io.WriteString(w, user.Provider)
	})
	s.start(s)
	s.get("400 ...", "/auth/none")
	begin := s.get("307 ...", "/auth/faux")
	to, err := begin.Location()
	if err != nil {
		s.Fatal(errors.Join(err, errors.New("the login goes nowhere")))
	}
	s.get("200 faux", "/auth/faux/callback?state="+to.Query().Get("state"))
	s.get("401 ...", "/auth/faux/callback?state=wrong")
}
