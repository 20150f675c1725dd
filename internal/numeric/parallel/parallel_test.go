package parallel

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

func TestForCallsEachIndexOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 5} {
		for _, n := range []int{0, 1, 2, 7, 1000} {
			old := runtime.GOMAXPROCS(procs)
			calls := make([]int, n)
			For(n, func(i int) { calls[i]++ })
			runtime.GOMAXPROCS(old)
			if slices.ContainsFunc(calls, func(c int) bool { return c != 1 }) {
				t.Errorf("procs %d, n %d: calls per index %v, want all 1", procs, n, calls)
			}
		}
	}
}

func TestForRunsAtMostGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	var now, most atomic.Int64
	For(200, func(int) {
		c := now.Add(1)
		for m := most.Load(); c > m && !most.CompareAndSwap(m, c); m = most.Load() {
		}
		runtime.Gosched()
		now.Add(-1)
	})
	if most.Load() > 3 || now.Load() != 0 {
		t.Errorf("at most %d calls at a time and %d after return, want at most 3 and 0", most.Load(), now.Load())
	}
}

// Other workers help one that is delayed, and the same worker handles most neighbouring
// numbers.
func TestForSharesRemainingWork(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const n = 64
	var done atomic.Int64
	all := make(chan struct{})
	For(n, func(i int) {
		if i == 0 {
			<-all // the first worker waits at its first number until all others are done
			return
		}
		if done.Add(1) == n-1 {
			close(all)
		}
	})
	if got := done.Load(); got != n-1 {
		t.Errorf("%d calls, want %d", got, n-1)
	}
}

// Try makes all calls, and returns the error of the least number.
func TestTry(t *testing.T) {
	var calls atomic.Int32
	low, high := errors.New("low"), errors.New("high")
	err := Try(100, func(i int) error {
		calls.Add(1)
		switch i {
		case 20:
			return low
		case 21, 99:
			return high
		}
		return nil
	})
	if !errors.Is(err, low) || calls.Load() != 100 {
		t.Errorf("got %v after %d calls, want %v after 100", err, calls.Load(), low)
	}
	if err := Try(3, func(int) error { return nil }); err != nil {
		t.Error(err)
	}
}
