package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls f(0), ..., f(n-1), each once, on at most GOMAXPROCS goroutines, the
// caller's among them, and returns when all calls have returned. The order of the
// calls is not defined; but most of those on one goroutine come one after the other,
// as it suits f to read what it works on.
func For(n int, f func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	runs := make(runs, workers)
	for w := range runs {
		runs[w].Store(span(w*n/workers, (w+1)*n/workers))
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	for w := 1; w < workers; w++ {
		wg.Go(func() { runs.work(w, f) })
	}
	runs.work(0, f)
}

// runs are the numbers that are left, those of each worker from its first to before
// its end: two halves of a word, that change together.
type runs []atomic.Uint64

func span(first, end int) uint64 { return uint64(first)<<32 | uint64(end) }

func bounds(s uint64) (first, end int) { return int(s >> 32), int(s & (1<<32 - 1)) }

// work does a worker's own run in order, and then takes from the ends of others'.
func (r runs) work(own int, f func(i int)) {
	for {
		s := r[own].Load()
		first, end := bounds(s)
		if first == end {
			break
		}
		if r[own].CompareAndSwap(s, span(first+1, end)) {
			f(first)
		}
	}
	for {
		at, s := r.longest()
		first, end := bounds(s)
		if first == end {
			return
		}
		if r[at].CompareAndSwap(s, span(first, end-1)) {
			f(end - 1)
		}
	}
}

// longest returns the place of the run that has most left, and the run.
func (r runs) longest() (at int, s uint64) {
	left := -1
	for w := range r {
		v := r[w].Load()
		if first, end := bounds(v); end-first > left {
			at, s, left = w, v, end-first
		}
	}
	return at, s
}
