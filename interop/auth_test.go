package interop

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/golang-jwt/jwt/v5/request"
	"github.com/gorilla/csrf"
	"github.com/gorilla/sessions"
	"github.com/justinas/nosurf"
	"golang.org/x/oauth2"

	"github.com/seed-1954dcaa/muxmaster/body"
	"github.com/seed-1954dcaa/muxmaster/problem"
)

var authRows = []row{
	{library: "github.com/golang-jwt/jwt/v5", name: "golang-jwt/jwt", tried: "bearer tokens checked by middleware of a Group; claims compared with a path value", run: runJWT},
	{library: "github.com/coreos/go-oidc/v3", name: "coreos/go-oidc", tried: "the authorization code flow with a provider that also runs on a Mux", run: runOIDC},
	{library: "github.com/gorilla/csrf", name: "gorilla/csrf", tried: "on a Group: form with a token, without one, from another origin", run: runGorillaCSRF},
	{library: "github.com/justinas/nosurf", name: "justinas/nosurf", tried: "around the router: token in a header, no token, exempt path", run: runNosurf, plain: true},
	{library: "github.com/alexedwards/scs/v2", name: "alexedwards/scs", tried: "`LoadAndSave` on the Mux: login, a private page, logout", run: runSCS},
	{library: "github.com/gorilla/sessions", name: "gorilla/sessions", tried: "cookie store, in handlers with path values", run: runGorillaSessions, plain: true},
}

func runJWT(s *site) {
	key := []byte("secret")
	type user struct{}
	api := s.mux.Group("/tenants/:tenant")
	api.Use(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			claims := new(jwt.RegisteredClaims)
			_, err := request.ParseFromRequest(r, request.BearerExtractor{}, func(*jwt.Token) (any, error) { return key, nil },
				request.WithClaims(claims), request.WithParser(jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}))))
			switch {
			case err != nil:
				http.Error(w, "unauthorized", http.StatusUnauthorized)
			case claims.Issuer != r.PathValue("tenant"):
				http.Error(w, "forbidden", http.StatusForbidden)
			default:
				h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), user{}, claims.Subject)))
			}
		})
	})
	api.GET("/notes/:id", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PathValue("id"), " ", r.Context().Value(user{}))
	})
	s.start(s)
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{Issuer: "acme", Subject: "gopher"}).SignedString(key)
	s.must(err)
	s.get("200 7 gopher", "/tenants/acme/notes/7", "Authorization: Bearer "+token)
	s.get("403 forbidden", "/tenants/other/notes/7", "Authorization: Bearer "+token)
	s.get("401 unauthorized", "/tenants/acme/notes/7")
	s.get("401 unauthorized", "/tenants/acme/none")
}

// runOIDC logs in with a minimal provider that go-oidc accepts.
func runOIDC(s *site) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	s.must(err)
	provider := s.another()
	issuer := s.start(provider)
	provider.GET("/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		body.WriteJSON(w, 200, map[string]any{"issuer": issuer, "authorization_endpoint": issuer + "/auth", "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys"})
	})
	provider.GET("/keys", func(w http.ResponseWriter, r *http.Request) {
		body.WriteJSON(w, 200, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "k", Algorithm: "RS256", Use: "sig"}}})
	})
	provider.GET("/auth", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=good&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
	})
	provider.POST("/token", func(w http.ResponseWriter, r *http.Request) {
		t := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{"iss": issuer, "aud": "client", "sub": "gopher", "exp": time.Now().Add(time.Hour).Unix()})
		t.Header["kid"] = "k"
		id, err := t.SignedString(key)
		if err != nil || r.FormValue("code") != "good" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		body.WriteJSON(w, 200, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": id})
	})

	ctx := oidc.ClientContext(s.Context(), &http.Client{Transport: s.client.Transport})
	p, err := oidc.NewProvider(ctx, issuer)
	s.must(err)
	verifier := p.Verifier(&oidc.Config{ClientID: "client"})
	app := s.start(s)
	config := oauth2.Config{ClientID: "client", ClientSecret: "s", Endpoint: p.Endpoint(), RedirectURL: app + "/callback/home", Scopes: []string{oidc.ScopeOpenID}}
	s.mux.GET("/login/:to", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, config.AuthCodeURL("state-"+r.PathValue("to")), http.StatusFound)
	})
	s.mux.GET("/callback/:to", problem.Handler(func(w http.ResponseWriter, r *http.Request) error {
		if r.FormValue("state") != "state-"+r.PathValue("to") {
			return &problem.Error{Status: 400, Err: errors.New("wrong state")}
		}
		token, err := config.Exchange(ctx, r.FormValue("code"))
		if err != nil {
			return &problem.Error{Status: 401, Err: err}
		}
		raw, _ := token.Extra("id_token").(string)
		id, err := verifier.Verify(ctx, raw)
		if err != nil {
			return &problem.Error{Status: 401, Err: err}
		}
		_, err = io.WriteString(w, id.Subject)
		return err
	}))
	s.client.CheckRedirect = nil
	s.get("200 gopher", "/login/home")
	s.get("400 ...", "/login/elsewhere")
	s.get("401 ...", "/callback/home?code=bad&state=state-home")
}

var tokenValue = regexp.MustCompile(`value="([^"]+)"`)

func runGorillaCSRF(s *site) {
	form := template.Must(template.New("").Parse(`<form>{{.}}</form>`))
	g := s.mux.Group("/forms")
	g.Use(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, csrf.PlaintextHTTPRequest(r)) })
	}, csrf.Protect([]byte("thirty-two bytes of secret, here"), csrf.Secure(false), csrf.Path("/")))
	g.GET("/:name", func(w http.ResponseWriter, r *http.Request) { form.Execute(w, csrf.TemplateField(r)) })
	g.POST("/:name", sayValue("name"))
	s.start(s)
	page := s.get("200 <form><input ...", "/forms/order")
	token := template.HTMLEscapeString(tokenValue.FindStringSubmatch(page.body)[1])
	token = strings.ReplaceAll(strings.ReplaceAll(token, "&amp;#43;", "+"), "&amp;", "&")
	const urlencoded = "Content-Type: application/x-www-form-urlencoded"
	s.wants("403 ...", s.ask("POST", "/forms/order", "", urlencoded))
	s.wants("200 order", s.ask("POST", "/forms/order", url.Values{"gorilla.csrf.Token": {token}}.Encode(), urlencoded))
	s.wants("403 ...", s.ask("POST", "/forms/order", url.Values{"gorilla.csrf.Token": {token}}.Encode(), urlencoded, "Origin: https://evil.example.com"))
}

func runNosurf(s *site) {
	s.HandleFunc("GET /forms/{name}", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, nosurf.Token(r)) })
	s.HandleFunc("POST /forms/{name}", sayValue("name"))
	s.HandleFunc("POST /hooks/{name}", sayValue("name"))
	h := nosurf.New(s)
	h.ExemptGlob("/hooks/*")
	h.SetIsTLSFunc(func(*http.Request) bool { return false })
	s.start(h)
	token := s.get("200 ...", "/forms/order").body
	same := "Origin: " + s.url
	s.wants("400 ...", s.ask("POST", "/forms/order", "", same))
	s.wants("200 order", s.ask("POST", "/forms/order", "", same, "X-CSRF-Token: "+token))
	s.wants("400 ...", s.ask("POST", "/forms/order", "", "Origin: https://evil.example.com", "X-CSRF-Token: "+token))
	s.wants("200 ci", s.ask("POST", "/hooks/ci", ""))
}

func runSCS(s *site) {
	sessions := scs.New()
	s.mux.Use(sessions.LoadAndSave)
	s.mux.POST("/login/:user", func(w http.ResponseWriter, r *http.Request) {
		if err := sessions.RenewToken(r.Context()); err != nil {
			s.Error(err)
		}
		sessions.Put(r.Context(), "user", r.PathValue("user"))
	})
	s.mux.GET("/private/:page", func(w http.ResponseWriter, r *http.Request) {
		if !sessions.Exists(r.Context(), "user") {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		io.WriteString(w, r.PathValue("page")+" "+sessions.GetString(r.Context(), "user"))
	})
	s.mux.POST("/logout", func(w http.ResponseWriter, r *http.Request) {
		if err := sessions.Destroy(r.Context()); err != nil {
			s.Error(err)
		}
	})
	s.start(s)
	s.get("401 who?", "/private/a")
	s.wants("200", s.ask("POST", "/login/gopher", ""))
	s.get("200 a gopher", "/private/a")
	s.wants("200", s.ask("POST", "/logout", ""))
	s.get("401 who?", "/private/a")
}

func runGorillaSessions(s *site) {
	store := sessions.NewCookieStore([]byte("secret"))
	s.HandleFunc("GET /add/{item}", func(w http.ResponseWriter, r *http.Request) {
		cart, err := store.Get(r, "cart")
		if err != nil {
			s.Error(err)
		}
		items, _ := cart.Values["items"].(string)
		items += r.PathValue("item")
		cart.Values["items"] = items
		if err := cart.Save(r, w); err != nil {
			s.Error(err)
		}
		json.NewEncoder(w).Encode(items)
	})
	s.start(s)
	s.get(`200 "a"`, "/add/a")
	s.get(`200 "ab"`, "/add/b")
}
