package interop

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"testing/fstest"

	"github.com/a-h/templ"
	"github.com/benbjohnson/hashfs"
	"github.com/steinfletcher/apitest"
	swagger "github.com/swaggo/http-swagger/v2"
	"golang.org/x/crypto/acme/autocert"
	"maragu.dev/gomponents"
	ghtml "maragu.dev/gomponents/html"
	ghttp "maragu.dev/gomponents/http"
)

var pageRows = []row{
	{library: "github.com/a-h/templ", name: "a-h/templ", tried: "`templ.Handler`, and a component that is rendered with a path value, streaming", run: runTempl, plain: true},
	{library: "maragu.dev/gomponents", name: "gomponents", tried: "`http.Adapt` with path values and an error with a status", run: runGomponents, plain: true},
	{library: "github.com/benbjohnson/hashfs", name: "benbjohnson/hashfs", tried: "hashed assets below a prefix, cached forever", run: runHashFS, plain: true},
	{library: "github.com/swaggo/http-swagger/v2", name: "swaggo/http-swagger", tried: "Swagger UI below a prefix: page, script, redirect of its root", run: runSwagger, plain: true},
	{library: "golang.org/x/crypto/acme/autocert", name: "x/crypto/acme/autocert", tried: "`Manager.HTTPHandler` around the router: it serves challenges, and the router all other requests", run: runAutocert, plain: true},
	{library: "github.com/steinfletcher/apitest", name: "apitest", tried: "a test of a handler on the router, without a server", run: runAPITest, plain: true, ownServer: true},
}

func runTempl(s *site) {
	hello := func(name string) templ.Component {
		return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "<p>Hello, "+html.EscapeString(name)+"</p>")
			return err
		})
	}
	s.Handle("GET /fixed", templ.Handler(hello("fixed"), templ.WithStatus(http.StatusAccepted)))
	s.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		templ.Handler(hello(r.PathValue("name")), templ.WithStreaming()).ServeHTTP(w, r)
	})
	s.start(s)
	s.get("202 <p>Hello, fixed</p>", "/fixed")
	s.get("200 <p>Hello, &lt;b&gt;</p>", "/hello/%3Cb%3E")
}

type notFound struct{}

func (notFound) Error() string   { return "no such page" }
func (notFound) StatusCode() int { return http.StatusNotFound }

func runGomponents(s *site) {
	s.HandleFunc("GET /hello/{name}", ghttp.Adapt(func(w http.ResponseWriter, r *http.Request) (gomponents.Node, error) {
		if r.PathValue("name") == "nobody" {
			return ghtml.P(gomponents.Text("nobody here")), notFound{}
		}
		return ghtml.P(gomponents.Text(r.PathValue("name"))), nil
	}))
	s.start(s)
	s.get("200 <p>&lt;b&gt;</p>", "/hello/%3Cb%3E")
	s.get("404 <p>nobody here</p>", "/hello/nobody")
}

func runHashFS(s *site) {
	assets := hashfs.NewFS(fstest.MapFS{"css/site.css": {Data: []byte("p{}")}})
	s.Handle("GET /assets/", http.StripPrefix("/assets/", hashfs.FileServer(assets)))
	s.start(s)
	a := s.get("200 p{}", "/assets/"+assets.HashName("css/site.css"))
	s.has(a, "Cache-Control", "public, max-age=31536000")
	s.get("404 ...", "/assets/css/none.css")
}

func runSwagger(s *site) {
	s.Handle("GET /docs/", swagger.Handler(swagger.URL("/openapi.json")))
	s.start(s)
	s.contains("the page", s.get("200 \n<!DOCTYPE html>...", "/docs/index.html").body, "/openapi.json")
	s.get("200 ...", "/docs/swagger-ui-bundle.js")
	s.has(s.get("301 ...", "/docs/"), "Location", "/docs/index.html")
	s.get("404 ...", "/docs/none.js")
}

func runAutocert(s *site) {
	m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist("example.com")}
	s.HandleFunc("GET /notes/{id}", sayValue("id"))
	s.start(m.HTTPHandler(s))
	s.get("200 7", "/notes/7")
	s.get("403 ...", "/.well-known/acme-challenge/token", "Host: other.example.com")
	s.get("404 ...", "/.well-known/acme-challenge/token", "Host: example.com")
}

func runAPITest(s *site) {
	s.HandleFunc("GET /notes/{id}", sayValue("id"))
	apitest.New().Handler(s).Get("/notes/7").Expect(s.T).Status(http.StatusOK).Body("7").End()
	apitest.New().Handler(s).Post("/notes/7").Expect(s.T).Status(http.StatusMethodNotAllowed).End()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/notes/8", nil))
	s.equal("a recorder's body", w.Body, "8")
}
