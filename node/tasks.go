package node

import (
	"context"
	"sync"
)

// tasks are functions under way. None begins after the end.
type tasks struct {
	mu      sync.Mutex
	ended   bool
	waiters sync.WaitGroup
}

func (t *tasks) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	t.waiters.Add(1)
	return true
}

// run calls f and says whether it did.
func (t *tasks) run(f func()) bool {
	if !t.begin() {
		return false
	}
	defer t.waiters.Done()
	f()
	return true
}

// start calls f in a goroutine of its own.
func (t *tasks) start(f func()) {
	if t.begin() {
		go func() {
			defer t.waiters.Done()
			f()
		}()
	}
}

// end lets nothing begin any more and waits for what is under way, or for the
// context's end.
func (t *tasks) end(ctx context.Context) {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	done := make(chan struct{})
	go func() { t.waiters.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
