// Command openapi serves an API with generated documentation and validation.
//
//	go run ./openapi
package main

import (
	"context"
	"log"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/seed-1954dcaa/muxmaster"
	"github.com/seed-1954dcaa/muxmaster/middleware"
	"github.com/seed-1954dcaa/muxmaster/server"
)

func main() {
	log.Print("open http://localhost:8080/api/docs")
	if err := server.Run("localhost:8080", newMux()); err != nil {
		log.Fatal("openapi: ", err)
	}
}

func newMux() *muxmaster.Mux {
	mux := muxmaster.New()
	mux.Pre(middleware.Logger, middleware.Recoverer)
	group := mux.Group("/api")
	config := huma.DefaultConfig("Tasks", "1.0.0")
	config.Servers = []*huma.Server{{URL: "/api"}} // prefix of the Group
	register(humago.New(group, config))
	return mux
}

type task struct {
	ID   int    `json:"id" readOnly:"true"`
	Text string `json:"text" minLength:"1" maxLength:"200" doc:"what is to do"`
}

type (
	one  struct{ Body task }
	all  struct{ Body []task }
	byID struct {
		ID int `path:"id" minimum:"1"`
	}
	newTask struct {
		Body struct {
			Text string `json:"text" minLength:"1" maxLength:"200" doc:"what is to do"`
		}
	}
)

func register(api huma.API) {
	var mu sync.Mutex
	tasks := []task{}
	huma.Get(api, "/tasks", func(ctx context.Context, _ *struct{}) (*all, error) {
		mu.Lock()
		defer mu.Unlock()
		return &all{append([]task{}, tasks...)}, nil
	})
	huma.Post(api, "/tasks", func(ctx context.Context, in *newTask) (*one, error) {
		mu.Lock()
		defer mu.Unlock()
		t := task{len(tasks) + 1, in.Body.Text}
		tasks = append(tasks, t)
		return &one{t}, nil
	})
	huma.Get(api, "/tasks/{id}", func(ctx context.Context, in *byID) (*one, error) {
		mu.Lock()
		defer mu.Unlock()
		if in.ID > len(tasks) {
			return nil, huma.Error404NotFound("there is no such task")
		}
		return &one{tasks[in.ID-1]}, nil
	})
}
