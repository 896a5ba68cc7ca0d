package load

import "fmt"

// Protocol is the protocol of a case.
type Protocol string

// The protocols.
const (
	HTTP1 Protocol = ""
	H2C   Protocol = "h2c" // HTTP/2 without TLS
	H2TLS Protocol = "TLS" // HTTP/2 over TLS
)

// serving returns the name of a child that serves the protocol.
func (p Protocol) serving(server string) string {
	if p == HTTP1 {
		return server
	}
	return string(p) + " " + server
}

// HTTP2Shapes are the columns of the HTTP/2 table: connections and the requests
// at a time on each.
var HTTP2Shapes = [][2]int{{1, 1}, {1, 10}, {1, 100}, {64, 1}, {64, 10}}

// pace is the rate of the paced cases. A server with one core can handle it
// without a queue.
const pace = 4000

// HTTP2Cases returns the cases in which HTTP/2 servers are compared.
func HTTP2Cases() (cases []Case) {
	for _, path := range []string{helloPath, jsonPath, echoPath, downloadPath} {
		for _, p := range []Protocol{H2C, H2TLS} {
			work := Case{Path: path, Browser: path == jsonPath, Protocol: p, Cores: 1}
			cases = append(cases, work.shaped()...)
			if path == helloPath || path == jsonPath {
				work.Connections, work.Streams, work.PerSecond = 16, 1, pace
				cases = append(cases, work)
			}
		}
	}
	for _, path := range []string{connectPath, grpcPath} {
		cases = append(cases, Case{Path: path, Protocol: H2C, Cores: 1}.shaped()...)
	}
	return cases
}

// H2loadCases returns cases for h2load.
func H2loadCases() []Case {
	return Case{Path: helloPath, Protocol: H2C, Cores: 1, H2load: true}.shaped()
}

func (c Case) shaped() (cases []Case) {
	for _, shape := range HTTP2Shapes {
		c.Connections, c.Streams = shape[0], shape[1]
		cases = append(cases, c)
	}
	return cases
}

// Work returns what the requests of an HTTP/2 case are, the row of its table.
func (c Case) Work() string {
	name := works[c.Path].name + ", " + string(c.Protocol)
	if c.H2load {
		name += ", h2load"
	}
	return name
}

// Shape returns the connections and requests at a time of an HTTP/2 case, the
// column of its table.
func (c Case) Shape() string {
	if c.PerSecond > 0 {
		return fmt.Sprintf("%d/s", c.PerSecond)
	}
	return fmt.Sprintf("%d×%d", c.Connections, c.Streams)
}

// PacedShape is the shape of the paced cases.
var PacedShape = Case{PerSecond: pace}.Shape()

func (c Case) isRPC() bool { return c.Path == connectPath || c.Path == grpcPath }
