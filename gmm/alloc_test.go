//go:build !race

package gmm

import (
	"runtime"
	"testing"

	"github.com/collabdict/collabdict"
)

// After the first iteration passes and steps allocate nothing on one thread, and on two
// only what it takes to start goroutines. Under the race detector more is allocated.
func TestIterationsAllocateNothing(t *testing.T) {
	x := patterns(3000, 7, 3, 5)
	for _, form := range []Covariance{Full, Diag, Spherical} {
		f, err := Fit(x, 3, EM{Form: form, Iterations: 1}, seed(1))
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
		if n := testing.AllocsPerRun(10, iterate); n > 0 { // which sets GOMAXPROCS to 1
			t.Errorf("%v: got %v allocations an iteration, want none", form, n)
		}
	}
}

// A round allocates its vector, its bounds and its weights, whatever the rows.
func TestRoundsAllocateNothingForRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	count := func(rows int) float64 {
		l, err := NewLearner(Matrix(patterns(rows, 7, 3, 5)), Config{Components: 3})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(5, func() {
			if _, _, err := l.LocalUpdate(); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := count(200), count(8000); few != many || many > 20 {
		t.Errorf("got %v allocations a round with 200 rows and %v with 8000, want the same, at most 20", few, many)
	}
}
