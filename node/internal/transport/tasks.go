package transport

import (
	"context"
	"sync"
)

// Tasks runs functions, and lets none begin after End.
type Tasks struct {
	mu      sync.Mutex
	ended   bool
	waiters sync.WaitGroup
}

func (t *Tasks) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	t.waiters.Add(1)
	return true
}

// Run calls f and reports whether it did.
func (t *Tasks) Run(f func()) bool {
	if !t.begin() {
		return false
	}
	defer t.waiters.Done()
	f()
	return true
}

// Start calls f in a goroutine of its own.
func (t *Tasks) Start(f func()) {
	if t.begin() {
		go func() {
			defer t.waiters.Done()
			f()
		}()
	}
}

// End prevents further tasks, and waits for those that are running or for the context's end.
func (t *Tasks) End(ctx context.Context) {
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
