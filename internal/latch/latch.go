// Package latch provides a mutex for code that calls functions of the program.
package latch

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// A Latch is a mutex that knows which goroutine holds it, so that a function of
// the program that is called with it locked, and comes back, doesn't wait for
// itself.
type Latch struct {
	mu sync.Mutex
	by atomic.Pointer[string] // the name of the goroutine, if it called Claim
}

// Lock locks l. It returns false if the calling goroutine has claimed it.
func (l *Latch) Lock() bool {
	if l.mu.TryLock() {
		return true
	}
	if by := l.by.Load(); by != nil && *by == goroutine() {
		return false
	}
	l.mu.Lock()
	return true
}

// Claim must be called before a function of the program, with l locked.
func (l *Latch) Claim() { l.by.Store(new(goroutine())) }

// Unlock unlocks l.
func (l *Latch) Unlock() {
	l.by.Store(nil)
	l.mu.Unlock()
}

// goroutine returns the name of the current goroutine.
func goroutine() string {
	var b [32]byte
	name, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), " [")
	return name
}
