package bench

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// heap measures the largest size of this process's heap.
type heap struct {
	before, most float64
	stop, done   chan struct{}
}

const heapBytes = "/memory/classes/heap/objects:bytes"

func watchHeap() *heap {
	runtime.GC()
	h := &heap{before: heapSize(), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		ticker := time.NewTicker(2 * time.Millisecond)
		defer ticker.Stop()
		for {
			h.most = max(h.most, heapSize())
			select {
			case <-ticker.C:
			case <-h.stop:
				return
			}
		}
	}()
	return h
}

// end returns the largest growth of the heap, in bytes.
func (h *heap) end() float64 {
	close(h.stop)
	<-h.done
	return h.most - h.before
}

func heapSize() float64 {
	s := []metrics.Sample{{Name: heapBytes}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}
