package browser

import (
	"expvar"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"testing/fstest"
	"time"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/inspect"
	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// shop has the handlers of the service. None of them may be called.
type shop struct{}

func called()                                                { panic("the page called a handler") }
func (shop) home(http.ResponseWriter, *http.Request)         { called() }
func (shop) listProducts(http.ResponseWriter, *http.Request) { called() }
func (shop) showProduct(http.ResponseWriter, *http.Request)  { called() }
func (shop) saveProduct(http.ResponseWriter, *http.Request)  { called() }
func (shop) findBySKU(http.ResponseWriter, *http.Request)    { called() }
func (shop) reviews(http.ResponseWriter, *http.Request)      { called() }
func (shop) listOrders(http.ResponseWriter, *http.Request)   { called() }
func (shop) placeOrder(http.ResponseWriter, *http.Request)   { called() }
func (shop) showOrder(http.ResponseWriter, *http.Request)    { called() }
func (shop) cancelOrder(http.ResponseWriter, *http.Request)  { called() }
func (shop) invoice(http.ResponseWriter, *http.Request)      { called() }
func (shop) listUsers(http.ResponseWriter, *http.Request)    { called() }
func (shop) showUser(http.ResponseWriter, *http.Request)     { called() }
func (shop) me(http.ResponseWriter, *http.Request)           { called() }
func (shop) report(http.ResponseWriter, *http.Request)       { called() }
func (shop) health(http.ResponseWriter, *http.Request)       { called() }
func (shop) webhook(http.ResponseWriter, *http.Request)      { called() }
func (shop) tenantHome(http.ResponseWriter, *http.Request)   { called() }

func price(http.ResponseWriter, *http.Request, muxmaster.Params) { called() }

func requireLogin(next http.Handler) http.Handler { return next }
func requireAdmin(next http.Handler) http.Handler { return next }
func audit(next http.Handler) http.Handler        { return next }

// newShop returns a service with all features that the page shows: groups,
// mounts, middleware, hosts, constraints, and routes with warnings.
func newShop() *muxmaster.Mux {
	var h shop
	m := muxmaster.New()
	m.Pre(middleware.RealIP)
	m.GETFast("/prices/:currency", price)
	m.Mount("/debug/routes", inspect.NewCoverage(m).Page()) // every route is unused
	m.Mount("/debug/vars", expvar.Handler())

	web := m.With(middleware.Logger, middleware.Recoverer, middleware.RequestID)
	web.GET("/", h.home)
	web.GET("/healthz", h.health)
	web.ServeFiles("/static/*filepath", fstest.MapFS{})
	web.ANY("/webhooks/:provider", h.webhook)
	web.Handle("GET {tenant}.shop.example/", http.HandlerFunc(h.tenantHome))

	api := m.Group("/api/v1")
	api.Use(middleware.Logger, middleware.Recoverer, middleware.Timeout(10*time.Second))
	products := api.Group("/products")
	products.GET("/", h.listProducts)
	products.GET("/{id:[0-9]+}", h.showProduct)
	products.GET("/{sku:[0-9A-Z]+}", h.findBySKU) // 12 goes to {id}
	products.With(requireLogin, audit).PUT("/{id:[0-9]+}", h.saveProduct)
	products.DELETE("/{id:[0-9]+}", h.saveProduct) // without the login that PUT has
	products.GET("/{id:[0-9]+}/reviews", h.reviews)
	products.GET("/{any:..*}/related", h.reviews)
	products.GET("/{id}/related", h.reviews) // {any} takes all
	products.POST("/{id:[0-9]+}:archive", h.saveProduct)
	api.Route("/orders", func(g *muxmaster.Group) {
		g.Use(requireLogin)
		g.GET("/", h.listOrders)
		g.POST("/", h.placeOrder)
		g.GET("/:id", h.showOrder)
		g.DELETE("/:id", h.cancelOrder)
		g.GET("/:id/invoice.{format:pdf|html}", h.invoice)
	})

	admin := muxmaster.New()
	admin.Pre(audit)
	admin.Route("/users", func(g *muxmaster.Group) {
		g.Use(requireLogin, requireAdmin)
		g.GET("/", h.listUsers)
		g.GET("/me", h.me)
		g.GET("/{id:[0-9]+}", h.showUser)
	})
	admin.Route("/orders", func(g *muxmaster.Group) {
		g.Use(requireLogin, requireAdmin)
		g.GET("/", h.listOrders)
		g.PATCH("/:id", h.cancelOrder)
	})
	admin.GET("/reports/*name", h.report) // the group without the login
	m.Mount("/admin", admin)
	m.Mount("/debug/pprof", http.HandlerFunc(pprof.Index))
	return m
}

// newHostile returns routes whose names try to run a script.
func newHostile() *muxmaster.Mux {
	m := muxmaster.New()
	m.Mount("/debug/routes", inspect.Handler(m))
	m.GET(`/<script>document.title='hacked'<%2fscript>/:id`, shop{}.home)
	m.GET(`/{x:[<>"'&]+}/<img%20src=x%20onerror=document.title='hacked'>`, shop{}.home)
	m.GET("/right-to-left\u202e", shop{}.home)
	return m
}

// newMixed returns 20 folders of 30 routes, which are closed at first, and a few
// routes of other kinds.
func newMixed() *muxmaster.Mux {
	var h shop
	m := muxmaster.New()
	m.Mount("/debug/routes", inspect.Handler(m))
	m.GET("/", h.home)
	m.GET("/only/:one", h.home)
	m.Handle("PURGE-ALL /{x...}", http.HandlerFunc(h.home))
	m.Handle("GET a.example/{id:[0-9]{1,3}}/é<b>", http.HandlerFunc(h.home))
	for i := range 20 {
		g := m.Group(fmt.Sprintf("/folder%d", i))
		for j := range 30 {
			g.GET(fmt.Sprintf("/%d/:id", j), h.home)
		}
	}
	return m
}

// newLarge returns 5,000 routes.
func newLarge() *muxmaster.Mux {
	var h shop
	m := muxmaster.New()
	m.Mount("/debug/routes", inspect.Handler(m))
	for i := range 1250 {
		g := m.Group(fmt.Sprintf("/service%d/resource%d", i%50, i))
		g.Use(middleware.Logger, requireLogin)
		g.GET("/", h.listOrders)
		g.POST("/", h.placeOrder)
		g.GET("/{id:[0-9]+}", h.showOrder)
		g.DELETE("/{id:[0-9]+}", h.cancelOrder)
	}
	return m
}

// newCounted returns a service that counts its requests. It has had three.
func newCounted() *muxmaster.Mux {
	m := muxmaster.New()
	coverage := inspect.NewCoverage(m)
	show := func(http.ResponseWriter, *http.Request) {}
	m.Mount("/debug/routes", coverage.Page())
	with := m.With(audit, requireLogin)
	with.GET("/used", show)
	m.GET("/unused", show)
	host := m.Host("{t}.example")
	host.Use(requireAdmin, requireLogin)
	host.Annotate("limit", 2*time.Second).GET("/limited", show)
	h := coverage.Handler(m)
	for range 3 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/used", nil))
	}
	return m
}

// newFlat returns 3,000 routes without a common prefix.
func newFlat() *muxmaster.Mux {
	m := muxmaster.New()
	m.Mount("/debug/routes", inspect.Handler(m))
	for i := range 3000 {
		m.GET(fmt.Sprintf("/r%d", i), shop{}.home)
	}
	return m
}
