package load

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/cloudwego/hertz/pkg/app"
	"github.com/cloudwego/hertz/pkg/app/server"
	"github.com/cloudwego/hertz/pkg/common/config"
	"github.com/cloudwego/hertz/pkg/common/hlog"
	"github.com/hertz-contrib/http2/factory"
)

// serveHertz serves hertz's own handlers over HTTP/2. It opens a listener of its
// own, because hertz does.
func serveHertz(l net.Listener, conf *tls.Config) error {
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return err
	}
	hlog.SetLevel(hlog.LevelFatal)
	options := []config.Option{server.WithHostPorts(addr), server.WithDisablePrintRoute(true), server.WithH2C(true)}
	if conf != nil {
		options = append(options, server.WithALPN(true), server.WithTLS(conf))
	}
	h := server.New(options...)
	h.AddProtocol("h2", factory.NewServerFactory())
	h.GET(helloPath, func(_ context.Context, c *app.RequestContext) {
		c.SetContentType(textType)
		c.WriteString(hello)
	})
	h.GET(jsonPath, func(_ context.Context, c *app.RequestContext) {
		c.SetContentType(jsonType)
		c.WriteString(document)
	})
	return h.Run()
}
