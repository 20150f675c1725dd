//go:build !race

package gmm

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// After the first iteration, passes and steps allocate nothing for rows: as much with twice as many. The
// race detector allocates more.
func TestIterationsAllocateNothingForRows(t *testing.T) {
	for _, form := range []Covariance{Full, Diag, Spherical} {
		count := func(rows int) float64 {
			x := testkit.Patterns(rows, 7, 3, 5)
			f, err := Fit(x, 3, EM{Form: form, Iterations: 1}, testkit.Seed(1))
			if err != nil {
				t.Fatal(err)
			}
			s := NewStepper(f.Mixture, Matrix(x), EM{})
			return testing.AllocsPerRun(10, func() { // sets GOMAXPROCS to 1
				if _, err := s.Expect(); err != nil {
					t.Fatal(err)
				}
				if err := s.Maximise(); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := count(10_000), count(20_000); few != many || many > 100 {
			t.Errorf("%v: got %v allocations an iteration with 10,000 rows and %v with 20,000, want the same, at most 100", form, few, many)
		}
	}
}
