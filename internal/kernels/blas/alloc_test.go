//go:build !race

package blas

import "testing"

// Under the race detector a sync.Pool drops buffers at random.
func TestNoAllocation(t *testing.T) {
	x, c := make([]float64, 300*300), make([]float64, 300*300)
	eachKernel(func(name string) {
		f := func() {
			Implementation{}.Dgemm('N', 'T', 30, 30, 300, 1, x, 300, x, 300, 0, c, 300)
			Implementation{}.Dsyrk('U', 'T', 30, 300, 1, x, 300, 0, c, 300)
			Implementation{}.Dtrsm('L', 'U', 'T', 'U', 70, 30, 1, x, 300, c, 300)
			Implementation{}.Dtrsm('R', 'U', 'N', 'U', 30, 70, 1, x, 300, c, 300)
			Implementation{}.Dtrmm('R', 'U', 'N', 'U', 30, 70, 1, x, 300, c, 300)
		}
		f()
		if n := testing.AllocsPerRun(20, f); n > 0 {
			t.Errorf("%s: got %v allocations, want none", name, n)
		}
	})
}
