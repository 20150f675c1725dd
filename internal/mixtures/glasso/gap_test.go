package glasso

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"gonum.org/v1/gonum/mat"
)

// The gap is never less than the distance to the optimum, and falls with the square of the
// residual.
func TestGap(t *testing.T) {
	p := readKnown(t, "testdata/p60-rho0.05-diag.json.gz").problem()
	solution, err := p.Solve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if solution.Gap > 1e-14*60 {
		t.Errorf("gap %g at the solution", solution.Gap)
	}
	best, _ := p.Objective(solution.Precision)
	last := 0.0
	for p.MaxSteps = 1; p.MaxSteps < solution.Steps; p.MaxSteps++ {
		r, _ := p.Solve(nil)
		value, _ := p.Objective(r.Precision)
		if last = r.Gap; !(r.Gap >= best-value-1e-12*60) {
			t.Errorf("%d steps: gap %g, but %g is missing", p.MaxSteps, r.Gap, best-value)
		}
		if byObjectives, _ := dualityGap(p, r); byObjectives < best-value-1e-12*60 {
			t.Errorf("%d steps: gap by the objectives %g, but %g is missing", p.MaxSteps, byObjectives, best-value)
		}
	}
	if last > 1e-6 {
		t.Errorf("gap %g one step before the solution, want at most 1e-6", last)
	}
}

// Connected blocks have the same bits whether they are solved in parallel or one after the other.
func TestBlocksHaveTheBitsOfAny(t *testing.T) {
	const blocks, size = 7, 20
	one := readKnown(t, "testdata/p20-rho0.05-diag.json.gz").problem()
	s := mat.NewSymDense(blocks*size, nil)
	for k := range blocks {
		for i := range size {
			for j := range i + 1 {
				s.SetSym(k+blocks*i, k+blocks*j, one.S.At(i, j)*float64(k+1))
			}
		}
	}
	p := Problem{S: s, Penalty: one.Penalty}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want, err := p.Solve(nil)
	if err != nil {
		t.Fatal(err)
	}
	checkSolution(t, p, want)
	runtime.GOMAXPROCS(4)
	got, err := p.Solve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if maxDiff(got.Precision, want.Precision) != 0 || maxDiff(got.Covariance, want.Covariance) != 0 ||
		got.LogDet != want.LogDet || got.Gap != want.Gap || got.Residual != want.Residual {
		t.Error("on more processors there are other bits")
	}
}

// dualityGap returns an upper bound of the distance between the objective at r and its maximum: the
// dual objective at W, r's covariance clipped to |W_ij − S_ij| ≤ λ, minus the objective. It is
// +∞ if the clipped matrix is not positive definite.
func dualityGap(p Problem, r *Result) (float64, error) {
	s, err := p.smooth()
	if err != nil {
		return 0, err
	}
	m := s.SymmetricDim()
	clipped := mat.NewSymDense(m, diagonalMatrix(s))
	for i := range m {
		for j := range i {
			w := math.Max(s.At(i, j)-p.Penalty, math.Min(s.At(i, j)+p.Penalty, r.Covariance.At(i, j)))
			clipped.SetSym(i, j, w)
		}
	}
	c, ok := lapack.Factorise(clipped)
	if !ok {
		return math.Inf(1), nil
	}
	value, err := p.Objective(r.Precision)
	return -c.LogDet() - float64(m) - value, err
}

func diagonalMatrix(s *mat.SymDense) []float64 {
	m := s.SymmetricDim()
	out := make([]float64, m*m)
	for i := range m {
		out[i*m+i] = s.At(i, i)
	}
	return out
}

// With fewer rows than variables and a weak penalty, the inverse of S is near the solution, so a
// gap takes few steps, with a start far away as well as with none.
func TestAWeakPenaltyTakesFewSteps(t *testing.T) {
	const m, rows, prior = 60, 10, 20.0
	of := func(seed uint64) *mat.SymDense {
		p := scattered("correlated", 1, m, rows, rand.New(rand.NewPCG(seed, 7)))
		s := mat.NewSymDense(m, nil)
		s.ScaleSym(1/mat.Max(p.S), p.S)
		for i := range m {
			s.SetSym(i, i, s.At(i, i)+prior/(rows+prior))
		}
		return s
	}
	p := Problem{S: of(1), Penalty: 1e-3, FreeDiagonal: true, Gap: 1e-4}
	far, err := p.Solve(nil)
	if err != nil {
		t.Fatal(err)
	}
	p.S = of(2)
	for _, start := range []*mat.SymDense{nil, far.Precision} {
		r, err := p.Solve(start)
		if err != nil {
			t.Fatal(err)
		}
		if r.Steps > 2 || r.Gap > p.Gap*m*(m+1)/2 {
			t.Errorf("%d steps to a gap of %g", r.Steps, r.Gap)
		}
	}
}

// A gap that is allowed is met in few steps, and is never less than the distance to the optimum,
// although the gradient does not show it: most elements are other than 0, or the penalty is strong.
func TestAllowedGap(t *testing.T) {
	const m, rows, prior = 60, 40, 20.0
	scatter := scattered("correlated", 1, m, rows, rand.New(rand.NewPCG(3, 7))).S
	s := mat.NewSymDense(m, nil)
	s.ScaleSym(1/mat.Max(scatter), scatter)
	for i := range m {
		s.SetSym(i, i, s.At(i, i)+prior/(rows+prior))
	}
	for _, penalty := range []float64{1e-3, 1e-2, 1e-1} {
		p := Problem{S: s, Penalty: penalty, FreeDiagonal: true}
		exact, err := p.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		best, _ := p.Objective(exact.Precision)
		last := 0
		for _, p.Gap = range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
			r, err := p.Solve(nil)
			if err != nil {
				t.Fatal(err)
			}
			value, _ := p.Objective(r.Precision)
			if r.Gap < best-value-1e-12*m || r.Gap > p.Gap*m*(m+1)/2 || r.Steps < last || r.Steps >= exact.Steps {
				t.Errorf("penalty %g, allowed %g: gap %g after %d of %d steps, and %g is missing", penalty, p.Gap, r.Gap, r.Steps, exact.Steps, best-value)
			}
			last = r.Steps
		}
	}
}
