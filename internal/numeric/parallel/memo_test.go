package parallel

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A value is computed once for all callers, and again after too many other keys.
func TestMemo(t *testing.T) {
	var m Memo[byte, int]
	var solved atomic.Int32
	of := func(key byte) int {
		return m.Of(key, 2, func() int { solved.Add(1); return 10 * int(key) })
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if v := of(1); v != 10 {
				t.Errorf("got %d, want 10", v)
			}
		})
	}
	all.Wait()
	if n := solved.Load(); n != 1 {
		t.Errorf("worked out %d times", n)
	}
	of(2)
	of(1)
	of(3) // the first key to be asked for was 1
	if n := solved.Load(); n != 3 {
		t.Errorf("worked out %d times, want 3", n)
	}
	of(2)
	if v, n := of(1), solved.Load(); v != 10 || n != 4 {
		t.Errorf("got %d after %d, want 10 after 4", v, n)
	}
	m.Clear()
	if v, n := of(1), solved.Load(); v != 10 || n != 5 {
		t.Errorf("got %d after %d, want 10 after 5", v, n)
	}
}
