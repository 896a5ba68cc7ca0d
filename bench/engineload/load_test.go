package engineload

import (
	"context"
	"net"
	"testing"
)

// TestServers checks the responses of every server in every case.
func TestServers(t *testing.T) {
	for _, s := range Servers {
		t.Run(s.Name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			go s.Serve(listener)
			for _, c := range Cases() {
				c.Connections = 2
				l, err := dial(listener.Addr().String(), c.Connections)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := l.run(context.Background(), c, 20); err != nil {
					t.Errorf("%s: %v", c, err)
				}
				l.close()
			}
		})
	}
}

func TestFigure(t *testing.T) {
	f := figureOf([]float64{5, 1, 2, 4, 3, 9, 7, 8, 6, 10, 11})
	if f != (Figure{6, 2, 10}) {
		t.Errorf("got %v", f)
	}
	r := ranks([]Figure{{1, 0.9, 1.1}, {2, 1.9, 2.1}, {2.05, 2.0, 2.2}, {1.5, 1.4, 1.6}})
	if want := [4]int{4, 1, 1, 3}; [4]int(r) != want {
		t.Errorf("ranks %v, want %v", r, want)
	}
}
