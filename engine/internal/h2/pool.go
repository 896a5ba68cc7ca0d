package h2

import (
	"sync"
	"time"
)

// A pool runs jobs in goroutines, the workers. Jobs wait in a queue. To start
// one, the pool wakes a single worker, the one that became idle last, because
// its stack has grown already. A worker that takes a job wakes another one if
// more jobs wait, and takes the next job itself if it is faster. So short jobs
// cost no goroutine switches, and long ones delay nothing.
//
// Idle workers end after a while, and when the last connection ends.
type pool struct {
	mu     sync.Mutex
	queue  []job // queue[next:] waits
	next   int
	waking bool // a worker was woken and has not looked at the queue
	idle   []*worker
	unused int // smallest number of idle workers since the last trim
	timer  *time.Timer
	timed  bool // the timer is set
	conns  int  // connections that use the pool
}

// A job is a stream, whose handler runs, or a connection, whose output is
// written.
type job interface{ run() }

// A worker waits for a value: true to look at the queue, false to end.
type worker struct{ wake chan bool }

const (
	maxIdle   = 512         // idle workers
	trimAfter = time.Second // how often unused workers are ended
)

// start runs jobs.
func (p *pool) start(jobs ...job) {
	p.mu.Lock()
	p.push(jobs...)
	p.wake()
	p.mu.Unlock()
}

// add runs a job when the calling worker has completed its own, unless another
// worker is faster.
func (p *pool) add(j job) {
	p.mu.Lock()
	p.push(j)
	p.mu.Unlock()
}

// push appends jobs to the queue. If it has no room, but many jobs were taken, it
// moves the others to the front: on an overloaded server, the queue may not
// become empty for hours. The caller holds p.mu.
func (p *pool) push(jobs ...job) {
	if len(p.queue)+len(jobs) > cap(p.queue) && p.next > len(p.queue)/2 {
		n := copy(p.queue, p.queue[p.next:])
		clear(p.queue[n:])
		p.queue, p.next = p.queue[:n], 0
	}
	p.queue = append(p.queue, jobs...)
}

// wake makes sure that a worker looks at the queue if jobs wait. The caller
// holds p.mu.
func (p *pool) wake() {
	if p.waking || p.next == len(p.queue) {
		return
	}
	p.waking = true
	n := len(p.idle)
	if n == 0 {
		p.unused = 0
		go p.work()
		return
	}
	w := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	p.unused = min(p.unused, n-1)
	w.wake <- true
}

func (p *pool) work() {
	w := &worker{make(chan bool, 1)}
	defer p.start() // for jobs that wait if a handler calls runtime.Goexit
	for {
		p.mu.Lock()
		p.waking = false
		for p.next < len(p.queue) {
			j := p.take()
			p.wake()
			p.mu.Unlock()
			j.run()
			p.mu.Lock()
		}
		parked := p.park(w)
		p.mu.Unlock()
		if !parked || !<-w.wake {
			return
		}
	}
}

// take removes the first job from the queue. The caller holds p.mu.
func (p *pool) take() job {
	j := p.queue[p.next]
	p.queue[p.next] = nil
	if p.next++; p.next == len(p.queue) {
		p.queue, p.next = p.queue[:0], 0
		if cap(p.queue) > 4096 {
			p.queue = nil
		}
	}
	return j
}

// park makes w wait. It reports false if w must end. The caller holds p.mu.
func (p *pool) park(w *worker) bool {
	if p.conns == 0 || len(p.idle) >= maxIdle {
		return false
	}
	p.idle = append(p.idle, w)
	if !p.timed {
		p.setTimer()
	}
	return true
}

func (p *pool) setTimer() {
	p.timed = true
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
	p.timed = false
	p.end(min(p.unused, len(p.idle)))
	if p.unused = len(p.idle); p.unused > 0 {
		p.setTimer()
	}
}

// end ends the first n idle workers. The caller holds p.mu.
func (p *pool) end(n int) {
	for _, w := range p.idle[:n] {
		w.wake <- false
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
		p.timed = false
	}
}
