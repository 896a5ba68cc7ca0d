package contender

import (
	"github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"
)

func init() {
	register(Contender{
		Name: "fiber v3", Module: "github.com/gofiber/fiber/v3", Classes: []Class{FastHTTP},
		Style: "func(fiber.Ctx) error", LoadFast: loadFiber,
		NotStdlib: "it runs on fasthttp",
	})
}

func loadFiber(s Spec) fasthttp.RequestHandler {
	app := fiber.New(fiber.Config{CaseSensitive: true, StrictRouting: true})
	for range s.Middleware {
		app.Use(func(c fiber.Ctx) error { return c.Next() })
	}
	for id, route := range s.Routes {
		app.Add([]string{route.Method}, route.Translate(":%s", "*%.0s"), fiberHandler(s, id))
	}
	return app.Handler()
}

func fiberHandler(s Spec, id int) fiber.Handler {
	name := first(s, id)
	if s.Routes[id].CatchAll() && len(s.Routes[id].Names()) == 1 {
		name = "*"
	}
	switch s.Work {
	case Read:
		return func(c fiber.Ctx) error { use(c.Params(name)); return nil }
	case Write:
		return func(c fiber.Ctx) error { return c.SendString(c.Params(name)) }
	case Report:
		return func(c fiber.Ctx) error {
			report(s, id, func(name string) string {
				if value := c.Params(name); value != "" {
					return value
				}
				return c.Params("*")
			})
			return nil
		}
	}
	return fiberReturn
}

func fiberReturn(fiber.Ctx) error { return nil }
