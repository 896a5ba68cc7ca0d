// Package joined has a lock that can be joined with others, so that they are one
// from then on.
package joined

import (
	"sync"
	"sync/atomic"
)

// A Lock is a mutex. The zero Lock is ready to use.
type Lock struct {
	mu     sync.Mutex
	number atomic.Uint64        // 0 until it is joined to another one
	next   atomic.Pointer[Lock] // set with mu held: the Lock, with a lower number, that stands for this one
}

// Lock locks all that l was joined to, and returns what the caller must unlock.
func (l *Lock) Lock() *sync.Mutex {
	for {
		l = l.last()
		l.mu.Lock()
		if l.next.Load() == nil {
			return &l.mu
		}
		l.mu.Unlock()
	}
}

// Join joins two Locks. It waits until nobody holds the one that gives way.
func Join(a, b *Lock) {
	for {
		a, b := a.last(), b.last()
		if a == b {
			return
		}
		if a.order() > b.order() { // so that no two Locks give way to each other
			a, b = b, a
		}
		b.mu.Lock()
		b.next.CompareAndSwap(nil, a)
		b.mu.Unlock()
	}
}

// last returns the Lock that stands for l.
func (l *Lock) last() *Lock {
	for next := l.next.Load(); next != nil; next = l.next.Load() {
		l = next
	}
	return l
}

// numbers is the last number of a Lock.
var numbers atomic.Uint64

// order returns the number of l.
func (l *Lock) order() uint64 {
	if l.number.Load() == 0 {
		l.number.CompareAndSwap(0, numbers.Add(1))
	}
	return l.number.Load()
}
