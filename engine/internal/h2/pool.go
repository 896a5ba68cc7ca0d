package h2

import (
	"sync"
	"time"
)

// A pool runs jobs in goroutines that it uses again. The last goroutine that
// became idle runs the next job, because its stack has grown already. Idle
// goroutines end after a while, and when the last connection ends.
type pool struct {
	mu     sync.Mutex
	conns  int // connections that use the pool
	idle   []*worker
	unused int // smallest number of idle workers since the last trim
	timer  *time.Timer
}

// A job is a stream, whose handler runs, or a connection, whose output is
// written.
type job interface{ run() }

type worker struct{ jobs chan job }

const (
	maxIdle   = 512         // idle workers
	trimAfter = time.Second // how often unused workers are ended
)

// start runs j in a goroutine.
func (p *pool) start(j job) {
	p.mu.Lock()
	n := len(p.idle)
	if n == 0 {
		p.unused = 0
		p.mu.Unlock()
		go p.work(j)
		return
	}
	w := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	p.unused = min(p.unused, n-1)
	p.mu.Unlock()
	w.jobs <- j
}

func (p *pool) work(j job) {
	w := &worker{make(chan job, 1)}
	for j != nil {
		j.run()
		if !p.park(w) {
			return
		}
		j = <-w.jobs
	}
}

// park makes w wait for a job. It reports false if w must end.
func (p *pool) park(w *worker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns == 0 || len(p.idle) >= maxIdle {
		return false
	}
	p.idle = append(p.idle, w)
	if len(p.idle) == 1 {
		p.setTimer()
	}
	return true
}

func (p *pool) setTimer() {
	if p.timer == nil {
		p.timer = time.AfterFunc(trimAfter, p.trim)
	} else {
		p.timer.Reset(trimAfter)
	}
}

// trim ends the workers that were idle since the last trim. They are the first
// ones in the list.
func (p *pool) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(min(p.unused, len(p.idle)))
	if p.unused = len(p.idle); p.unused > 0 {
		p.setTimer()
	}
}

// end ends the first n idle workers. The caller holds p.mu.
func (p *pool) end(n int) {
	for _, w := range p.idle[:n] {
		w.jobs <- nil
	}
	m := copy(p.idle, p.idle[n:])
	clear(p.idle[m:])
	p.idle = p.idle[:m]
}

// attach adds a connection.
func (p *pool) attach() {
	p.mu.Lock()
	p.conns++
	p.mu.Unlock()
}

// detach removes a connection.
func (p *pool) detach() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns--; p.conns > 0 {
		return
	}
	p.end(len(p.idle))
	if p.timer != nil {
		p.timer.Stop()
	}
}
