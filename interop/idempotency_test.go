package interop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed-1954dcaa/muxmaster/middleware"
)

// A redisStore is a middleware.IdempotencyStore in Redis 7 or newer.
type redisStore struct{ *redis.Client }

func (s redisStore) Add(ctx context.Context, key string, value []byte, ttl time.Duration) ([]byte, error) {
	old, err := s.SetArgs(ctx, "idempotency:"+key, value, redis.SetArgs{Mode: "NX", TTL: ttl, Get: true}).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return []byte(old), err
}

func (s redisStore) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	return s.Client.Set(ctx, "idempotency:"+key, value, ttl).Err()
}

func (s redisStore) Delete(ctx context.Context, key string) error {
	return s.Del(ctx, "idempotency:"+key).Err()
}

// TestIdempotencyInRedis sends a request to one process and repeats it at
// another, which has its own client of Redis.
func TestIdempotencyInRedis(t *testing.T) {
	addr, executed := startRedis(t), 0
	for i, want := range []string{"201 1", "201 1", "422 Unprocessable Entity"} {
		client := redis.NewClient(&redis.Options{Addr: addr})
		defer client.Close()
		s := newSite(t, http.NewServeMux(), netHTTP)
		s.start(middleware.IdempotencyKey(middleware.Idempotency{
			Store: redisStore{client},
			Scope: func(*http.Request) string { return addr },
		})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			executed++
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, executed)
		})))
		replayed := []string{"", "true", ""}[i]
		s.has(s.wants(want, s.ask("POST", "/", fmt.Sprint("order", i/2), "Idempotency-Key: once")), "Idempotent-Replayed", replayed)
	}
}
