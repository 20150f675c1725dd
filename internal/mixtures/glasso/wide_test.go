package glasso

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Blocks with more variables than the other hard ones, of 12 rows each, are solved.
// testkit.Full adds slow ones.
func TestWideAndIllConditioned(t *testing.T) {
	for name := range hardScatters {
		for _, c := range []struct {
			m, decade int
			long      bool
		}{{70, 2, false}, {120, 2, true}, {70, 3, true}, {120, 3, true}, {70, 5, true}} {
			t.Run(fmt.Sprintf("%s/%d/1e%d", name, c.m, c.decade), func(t *testing.T) {
				if c.long {
					testkit.FullOnly(t)
				}
				rng := rand.New(rand.NewPCG(uint64(c.decade), 7))
				p := scattered(name, math.Pow10(c.decade), c.m, 12, rng)
				r, err := p.Solve(nil)
				if err != nil {
					t.Fatal(err)
				}
				checkHard(t, p, nil, r)
				if r.Gap > 1e-9*float64(c.m) {
					t.Errorf("gap %g", r.Gap)
				}
			})
		}
	}
}

// A problem too hard for the allowed steps comes with a bound on the distance to the optimum.
func TestStalledHasAGap(t *testing.T) {
	p := scattered("correlated", 1e5, 70, 12, rand.New(rand.NewPCG(5, 7)))
	p.MaxSteps = 5
	r, err := p.Solve(nil)
	if err == nil || math.IsInf(r.Gap, 0) || !(r.Gap > 0) {
		t.Fatalf("gap %g with error %v, want a finite one above 0", r.Gap, err)
	}
	p.MaxSteps = 8
	better, _ := p.Solve(nil)
	value, _ := p.Objective(r.Precision)
	if got, _ := p.Objective(better.Precision); !(got > value) || got > value+r.Gap {
		t.Errorf("objective %g after %g with a gap of %g", got, value, r.Gap)
	}
}

// scattered draws the scatter matrix of n rows in m dimensions with one of hardScatters.
func scattered(name string, ratio float64, m, n int, rng *rand.Rand) Problem {
	x := mat.NewDense(n, m, nil)
	for i := range n {
		common := rng.NormFloat64()
		for j := range m {
			x.Set(i, j, common*float64(j%3)+0.1*rng.NormFloat64())
		}
	}
	hardScatters[name](x, rng)
	s := mat.NewSymDense(m, nil)
	s.SymOuterK(1/float64(n), x.T())
	return Problem{S: s, Penalty: mat.Max(s) / ratio}
}
