package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls f(0), ..., f(n-1), each once, on at most GOMAXPROCS goroutines and
// returns when all calls have returned. The order of the calls is not defined.
func For(n int, f func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}
