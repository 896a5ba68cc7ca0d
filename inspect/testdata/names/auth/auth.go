// Package auth has middleware for the program around it.
package auth

import "net/http"

type middleware = func(http.Handler) http.Handler

func Check(next http.Handler) http.Handler { return next }

func Login(role string) middleware {
	return func(next http.Handler) http.Handler { _ = role; return next }
}

func New(role string) middleware { return Login(role) }

func For[T any](v T) middleware {
	return func(next http.Handler) http.Handler { _ = v; return next }
}

func Deep(role string) middleware {
	f := func() middleware { return func(next http.Handler) http.Handler { _ = role; return next } }
	return f()
}

type Auth struct{ _ int }

func (a *Auth) Check(next http.Handler) http.Handler { return next }

func (a *Auth) Login(role string) middleware {
	return func(next http.Handler) http.Handler { _, _ = a, role; return next }
}

type Of[T any] struct{ v T }

func (o *Of[T]) Login(v T) middleware {
	return func(next http.Handler) http.Handler { o.v = v; return next }
}

var Global = Login("user")
