// Command login has pages that need a login.
//
//	go run ./login
package main

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"html/template"
	"log"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	log.Print("open http://localhost:8080")
	if err := server.Run("localhost:8080", newMux()); err != nil {
		log.Fatal("login: ", err)
	}
}

func newMux() *muxmaster.Mux {
	a := newApp()
	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer, http.NewCrossOriginProtection().Handler)
	mux.Use(a.sessions.LoadAndSave)
	mux.GET("/", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/account", http.StatusSeeOther) })
	mux.GET("/login", func(w http.ResponseWriter, r *http.Request) { pages.ExecuteTemplate(w, "login", nil) })
	mux.With(middleware.BodyLimit(4<<10), middleware.Throttle(4, 16, time.Second)).POST("/login", a.login) // hashing is slow
	mux.POST("/logout", a.logout)

	account := mux.Group("/account")
	account.Use(a.loggedIn, middleware.NoCache) // also for paths that don't exist
	account.GET("/", func(w http.ResponseWriter, r *http.Request) {
		pages.ExecuteTemplate(w, "account", a.sessions.GetString(r.Context(), "user"))
	})
	return mux
}

var pages = template.Must(template.New("").Parse(`
{{define "login"}}<!doctype html><title>Login</title>
<form method="post"><input name="user" autocomplete="username"> <input name="password" type="password"> <button>Log in</button></form>{{end}}
{{define "account"}}<!doctype html><title>Account</title>
<p>Hello, {{.}}.</p><form method="post" action="/logout"><button>Log out</button></form>{{end}}
`))

type app struct {
	sessions *scs.SessionManager // in memory; see docs/deploy.md for several processes
	salt     []byte
	users    map[string][]byte // name => hash of the password
}

func newApp() *app {
	a := &app{sessions: scs.New(), salt: []byte(rand.Text()), users: map[string][]byte{}}
	a.sessions.Lifetime = 12 * time.Hour
	a.sessions.Cookie.SameSite = http.SameSiteLaxMode
	// With TLS, also set Cookie.Secure.
	a.users["ada"] = a.hash("lovelace")
	return a
}

func (a *app) hash(password string) []byte {
	key, err := pbkdf2.Key(sha256.New, password, a.salt, 100_000, 32)
	if err != nil {
		panic(err) // the parameters are constant
	}
	return key
}

func (a *app) login(w http.ResponseWriter, r *http.Request) {
	user := r.PostFormValue("user")
	hash := a.hash(r.PostFormValue("password")) // also for unknown users, so that it takes the same time
	if subtle.ConstantTimeCompare(hash, a.users[user]) != 1 {
		http.Error(w, "wrong user or password", http.StatusUnauthorized)
		return
	}
	if err := a.sessions.RenewToken(r.Context()); err != nil { // against session fixation
		panic(err) // Recoverer responds with 500
	}
	a.sessions.Put(r.Context(), "user", user)
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

func (a *app) logout(w http.ResponseWriter, r *http.Request) {
	if err := a.sessions.Destroy(r.Context()); err != nil {
		panic(err)
	}
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// loggedIn redirects unauthenticated users to the login.
func (a *app) loggedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.sessions.GetString(r.Context(), "user") == "" {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}
