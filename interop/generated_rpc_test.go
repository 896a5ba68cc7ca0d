//go:build generated

package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"connectrpc.com/connect"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/seed-1954dcaa/muxmaster/interop/echo"
	"github.com/seed-1954dcaa/muxmaster/interop/echo/echoconnect"
)

const generated = true

// connectEcho is the service of echo.proto for Connect.
type connectEcho struct{}

func (connectEcho) Say(_ context.Context, req *connect.Request[echo.Message]) (*connect.Response[echo.Message], error) {
	if req.Msg.Text == "" {
		return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("say something"))
	}
	resp := connect.NewResponse(req.Msg)
	resp.Trailer().Set("Echo-Trailer", req.Msg.Room)
	return resp, nil
}

func (connectEcho) Repeat(_ context.Context, req *connect.Request[echo.Message], stream *connect.ServerStream[echo.Message]) error {
	for range 3 {
		if err := stream.Send(req.Msg); err != nil {
			return err
		}
	}
	return nil
}

func (connectEcho) Chat(_ context.Context, stream *connect.BidiStream[echo.Message, echo.Message]) error {
	for {
		m, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = stream.Send(m)
		}
		if err != nil {
			return err
		}
	}
}

// askJSON is ask for responses of protojson, which intentionally varies its
// spaces.
func (s *site) askJSON(method, target, body string, header ...string) answer {
	s.Helper()
	a := s.ask(method, target, body, header...)
	var lines []string
	for line := range strings.Lines(a.body) {
		var b bytes.Buffer
		s.must(json.Compact(&b, []byte(line)))
		lines = append(lines, b.String())
	}
	a.body = strings.Join(lines, "\n")
	return a
}

func runConnect(s *site) {
	s.Handle(echoconnect.NewEchoHandler(connectEcho{}))
	s.HandleFunc("GET /notes/{id}", sayValue("id"))
	url := s.start(s, withH2C)
	s.get("200 7", "/notes/7")
	s.wants(`200 {"room":"a","text":"hello"}`, s.askJSON("POST", echoconnect.EchoSayProcedure, `{"room":"a","text":"hello"}`, "Content-Type: application/json"))
	s.wants("404 ...", s.ask("POST", "/echo.v1.Echo/None", `{}`, "Content-Type: application/json"))
	s.wants("415", s.ask("POST", echoconnect.EchoSayProcedure, `{}`, "Content-Type: text/plain"))
	s.useH2C()
	for protocol, option := range map[string]connect.ClientOption{"Connect": connect.WithProtoJSON(), "gRPC": connect.WithGRPC(), "gRPC-Web": connect.WithGRPCWeb()} {
		client := echoconnect.NewEchoClient(s.client, url, option)
		resp, err := client.Say(s.Context(), connect.NewRequest(&echo.Message{Room: "a", Text: "hello"}))
		s.must(err)
		s.equal(protocol+": text and trailer", resp.Msg.Text+resp.Trailer().Get("Echo-Trailer"), "helloa")
		_, err = client.Say(s.Context(), connect.NewRequest(&echo.Message{}))
		s.equal(protocol+": error", err, "invalid_argument: say something")

		stream, err := client.Repeat(s.Context(), connect.NewRequest(&echo.Message{Text: "again"}))
		s.must(err)
		count := 0
		for ; stream.Receive(); count++ {
			s.equal(protocol+": message", stream.Msg().Text, "again")
		}
		s.must(stream.Err())
		s.must(stream.Close())
		s.equal(protocol+": messages", count, 3)

		chat := client.Chat(s.Context())
		for n := range 3 {
			s.must(chat.Send(&echo.Message{Text: fmt.Sprint(n)}))
			m, err := chat.Receive()
			s.must(err)
			s.equal(protocol+": answer", m.Text, n)
		}
		s.must(chat.CloseRequest())
		_, err = chat.Receive()
		s.equal(protocol+": end of the chat", errors.Is(err, io.EOF), true)
		s.must(chat.CloseResponse())
	}
}

func runGateway(s *site) {
	_, backend := echoconnect.NewEchoHandler(connectEcho{}) // also speaks gRPC
	url := s.start(backend, withH2C)
	gateway := runtime.NewServeMux()
	s.must(echo.RegisterEchoHandlerFromEndpoint(s.Context(), gateway, strings.TrimPrefix(url, "http://"), []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}))
	s.Handle("/v1/", gateway)
	s.HandleFunc("GET /notes/{id}", sayValue("id"))
	s.start(s)
	s.get("200 7", "/notes/7")
	s.wants(`200 {"room":"a","text":"hello"}`, s.askJSON("POST", "/v1/rooms/a:say", `"hello"`))
	s.wants(`200 {"room":"a b","text":"c/d"}`, s.askJSON("GET", "/v1/rooms/a%20b/messages/c/d", ""))
	s.wants(`400 {"code":3,"message":"say something","details":[]}`, s.askJSON("POST", "/v1/rooms/a:say", `""`))
	message := `{"result":{"room":"a","text":""}}`
	s.wants("200 "+message+"\n"+message+"\n"+message, s.askJSON("GET", "/v1/rooms/a/repeat", ""))
	s.get("404 ...", "/v1/none")
}
