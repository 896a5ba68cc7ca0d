package interop

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/goredisstore"
	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/httprate"
	httprateredis "github.com/go-chi/httprate-redis"
	"github.com/redis/go-redis/v9"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	muxserver "github.com/seed-1954dcaa/muxmaster/server"
)

var sharedRows = []row{
	{library: "github.com/go-chi/httprate-redis", name: "httprate with Redis", tried: "`go-chi/httprate` with its counters in a real Redis: one limit for all processes", run: runRedisLimit},
	{library: "github.com/alexedwards/scs/goredisstore", name: "scs with Redis", tried: "sessions in a real Redis: another process can use the session", run: runRedisSessions},
}

// workDir is a directory for files that tests share.
var workDir string

// TestMain runs the tests, or the service if a test started it as a process.
func TestMain(m *testing.M) {
	if redisAddr := os.Getenv("INTEROP_SERVICE"); redisAddr != "" {
		if err := serveService(os.Args[1], redisAddr); err != nil {
			log.Fatal("service: ", err)
		}
		return
	}
	var err error
	if workDir, err = os.MkdirTemp("", "interop"); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	stopRedis()
	os.RemoveAll(workDir)
	os.Exit(code)
}

// serveService serves on an address. Sessions and rate limits are in Redis.
func serveService(addr, redisAddr string) error {
	client := redis.NewClient(&redis.Options{Addr: redisAddr})
	defer client.Close()
	srv := muxserver.New(addr, newService(muxmaster.New(), client, "service"))
	srv.ReadyPath = "/readyz"
	ctx, stop := muxserver.NotifyContext(context.Background())
	defer stop()
	return srv.Run(ctx)
}

// proxies are the source addresses of the proxies in the tests.
var proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.3/32"), netip.MustParsePrefix("127.0.0.4/32")}

// limit is the number of requests for /limited per client and hour.
const limit = 10

// newService registers a service on mux. Services with the same name share
// sessions and rate limits.
func newService(mux *muxmaster.Mux, client *redis.Client, name string) *muxmaster.Mux {
	sessions := scs.New()
	sessions.Store = goredisstore.NewWithPrefix(client, name+":sessions:")
	mux.Pre(middleware.RealIPFrom(proxies...), middleware.SetHeader("X-Process", fmt.Sprint(os.Getpid())))
	mux.GET("/addr", func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.RemoteAddr, ":")
		io.WriteString(w, host)
	})

	login := mux.With(sessions.LoadAndSave)
	login.POST("/login/:user", func(w http.ResponseWriter, r *http.Request) {
		if err := sessions.RenewToken(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		sessions.Put(r.Context(), "user", r.PathValue("user"))
	})
	login.GET("/whoami", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, sessions.GetString(r.Context(), "user"))
	})

	limited := mux.With(httprate.LimitBy(limit, time.Hour, httprate.KeyByIP,
		httprateredis.WithRedisLimitCounter(&httprateredis.Config{Client: client, PrefixKey: name + ":rate", FallbackDisabled: true})))
	limited.GET("/limited/:what", sayValue("what"))
	return mux
}

// two starts two services with shared state, on the site's server, and returns
// their URLs.
func (s *site) two() (a, b string) {
	client := redis.NewClient(&redis.Options{Addr: startRedis(s.T)})
	s.Cleanup(func() { client.Close() })
	return s.start(newService(s.mux, client, s.Name())), s.start(newService(s.another(), client, s.Name()))
}

func runRedisLimit(s *site) {
	a, b := s.two()
	for n := range limit {
		s.url = []string{a, b}[n%2]
		s.get(fmt.Sprint("200 ", n), fmt.Sprint("/limited/", n))
	}
	for _, s.url = range []string{a, b} {
		s.get("429 Too Many Requests", "/limited/more")
	}
}

func runRedisSessions(s *site) {
	a, b := s.two()
	s.url = a
	s.wants("200", s.ask("POST", "/login/gopher", ""))
	for _, s.url = range []string{a, b} {
		s.get("200 gopher", "/whoami")
	}
}
