//go:build !race

package gmm

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// After the first iteration, passes and steps allocate nothing on one thread. On two threads, they
// allocate only to start goroutines. The race detector allocates more.
func TestIterationsAllocateNothing(t *testing.T) {
	x := testkit.Patterns(3000, 7, 3, 5)
	for _, form := range []Covariance{Full, Diag, Spherical} {
		f, err := Fit(x, 3, EM{Form: form, Iterations: 1}, testkit.Seed(1))
		if err != nil {
			t.Fatal(err)
		}
		s := NewStepper(f.Mixture, Matrix(x), EM{})
		iterate := func() {
			if _, err := s.Expect(); err != nil {
				t.Fatal(err)
			}
			if err := s.Maximise(); err != nil {
				t.Fatal(err)
			}
		}
		iterate()
		if n := testing.AllocsPerRun(10, iterate); n > 0 { // AllocsPerRun sets GOMAXPROCS to 1
			t.Errorf("%v: got %v allocations an iteration, want none", form, n)
		}
	}
}
