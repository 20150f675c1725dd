package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls f(0), ..., f(n-1), each once, on at most GOMAXPROCS goroutines including the
// caller's. It returns when all calls have returned. The order of calls is not defined, but
// most calls on one goroutine are for consecutive numbers, so that f can read its data in
// order.
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

// Try is [For] for calls that may fail. It returns the error of the least number.
func Try(n int, f func(i int) error) error {
	errs := make([]error, n)
	For(n, func(i int) { errs[i] = f(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// runs holds the numbers left for each worker, as a range from its first to before its end.
// Both are halves of one word, so that they change together.
type runs []atomic.Uint64

func span(first, end int) uint64 { return uint64(first)<<32 | uint64(end) }

func bounds(s uint64) (first, end int) { return int(s >> 32), int(s & (1<<32 - 1)) }

// work handles a worker's own run in order, and then takes numbers from the ends of the others'
// runs.
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

// longest returns the index and the range of the longest run left.
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
