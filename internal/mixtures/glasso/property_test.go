package glasso

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// awkward draws a problem whose S may be singular, indefinite by less than the penalty, or of
// variables in very different units, and a start, which may be nil.
func awkward(t *rapid.T) (Problem, *mat.SymDense) {
	m := rapid.IntRange(1, 9).Draw(t, "m")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := rapid.IntRange(1, 2*m).Draw(t, "n")
	x := mat.NewDense(n, m, nil)
	x.Apply(func(_, j int, _ float64) float64 { return rng.NormFloat64() + float64(j%2)*x.At(0, 0) }, x)
	spread := rapid.SampledFrom([]float64{0, 2, 6}).Draw(t, "spread")
	for j := range m {
		unit := math.Pow(10, spread*(rng.Float64()-0.5))
		for i := range n {
			x.Set(i, j, x.At(i, j)*unit)
		}
	}
	s := mat.NewSymDense(m, nil)
	s.SymOuterK(1/float64(n), x.T())
	unit := math.Pow(10, rapid.Float64Range(-30, 30).Draw(t, "log unit"))
	s.ScaleSym(unit, s)
	penalty := mat.Max(s) * math.Pow(10, rapid.Float64Range(-4, 0.5).Draw(t, "log λ"))
	below := rapid.SampledFrom([]float64{0, 0.5, 0.9}).Draw(t, "below")
	for i := range m {
		s.SetSym(i, i, s.At(i, i)-below*penalty)
	}
	var start *mat.SymDense
	if rapid.Bool().Draw(t, "warm") {
		start = randomPrecision(m, 1/penalty, math.Pow(10, rapid.Float64Range(0, 6).Draw(t, "log cond")), rng)
	}
	return Problem{S: s, Penalty: penalty}, start
}

// Every problem is solved. The precision is positive definite, no worse than the start and the
// solution without edges, and as good as without a start.
func TestAwkwardProblems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, start := awkward(t)
		r, err := p.Solve(start)
		if r == nil {
			t.Fatal(err)
		}
		var c mat.Cholesky
		if !c.Factorize(r.Precision) {
			t.Fatalf("not positive definite: %v", mat.Formatted(r.Precision))
		}
		m := p.S.SymmetricDim()
		plain := mat.NewSymDense(m, nil)
		for i := range m {
			plain.SetSym(i, i, 1/(math.Max(p.S.At(i, i), 0)+p.Penalty))
		}
		value, _ := p.Objective(r.Precision) // the objective is defined even for a result that stalled at a start
		for _, other := range []*mat.SymDense{plain, start} {
			if other == nil {
				continue
			}
			if v, _ := p.Objective(other); value < v-1e-9*(1+math.Abs(v)) {
				t.Fatalf("objective %.12g, of a start %.12g", value, v)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Cond() < 1e8 && r.Gap > 1e-6*float64(m) {
			t.Fatalf("gap %g at condition %g", r.Gap, c.Cond())
		}
		if start == nil {
			return
		}
		cold, err := p.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := p.Objective(cold.Precision); value < v-1e-7*(1+math.Abs(v)) {
			t.Fatalf("objective %.12g warm, %.12g cold", value, v)
		}
	})
}

// If variables are all the same and the penalty is small next to the target residual (1e-9 of
// the variances), the objective decides.
func TestEqualVariables(t *testing.T) {
	const lambda = 0.05
	for _, variance := range []float64{1, 1e4, 1e6, 2.25e7, 1e8, 1e9} {
		for m := 2; m < 7; m++ {
			s := mat.NewSymDense(m, nil)
			for i := range m {
				for j := range i + 1 {
					s.SetSym(i, j, variance)
				}
			}
			p := Problem{S: s, Penalty: lambda}
			r, err := p.Solve(nil)
			if err != nil {
				t.Errorf("%d of variance %g: %v", m, variance, err)
				continue
			}
			// W has the eigenvalue 2λ m−1 times, and mS + 2λ − mλ once.
			n := float64(m)
			best := -(n-1)*math.Log(2*lambda) - math.Log(n*variance+(2-n)*lambda) - n
			if got, _ := p.Objective(r.Precision); !near(got, best, 1e-5) {
				t.Errorf("%d of variance %g: objective %.9g, want %.9g", m, variance, got, best)
			}
		}
	}
}

// A block that is too large for the interior point method, and whose residual is small enough,
// is still reported as unsolved, with a bound on the distance to the optimum.
func TestSmallResidualIsNoSolution(t *testing.T) {
	const m, lambda, variance = 100, 0.05, 2.25e7
	s := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range i + 1 {
			s.SetSym(i, j, variance)
		}
	}
	p := Problem{S: s, Penalty: lambda}
	r, err := p.Solve(nil)
	best := -(m-1)*math.Log(2*lambda) - math.Log(m*variance+(2-m)*lambda) - m
	value, _ := p.Objective(r.Precision)
	if missing := best - value; err == nil && missing > 1e-3 || !(r.Gap >= missing) {
		t.Errorf("%g is missing with gap %g and error %v", missing, r.Gap, err)
	}
}

// The connected components of the scatter matrix, solved one by one, have the solution of all
// variables together.
func TestComponentsAreSolvedAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := separate(t)
		r, err := p.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.smooth()
		if err != nil {
			t.Fatal(err)
		}
		m := s.SymmetricDim()
		var members []int
		for i := range m {
			members = append(members, i)
		}
		b := newBlock(s, p, members, nil)
		if !b.solve(maxSteps) {
			t.Fatal(b.stalled())
		}
		for i := range m {
			for j := range m {
				if got, want := r.Precision.At(i, j), b.x[i*m+j]; math.Abs(got-want) > 1e-6*math.Sqrt(b.x[i*m+i]*b.x[j*m+j]) {
					t.Fatalf("%d variables in %d components: element %d, %d is %g, want %g", m, len(components(s, p.Penalty)), i, j, got, want)
				}
			}
		}
	})
}

// A solution with a gap is positive definite, within the gap of the maximum, and above its start, even
// if the start is within the gap, but not within a hundredth of it.
func TestASolutionIsWithinTheGap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := separate(t)
		best, err := p.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		most, _ := p.Objective(best.Precision)
		p.Gap = rapid.SampledFrom([]float64{1e-6, 1e-3, 0.1}).Draw(t, "gap")
		m := float64(p.S.SymmetricDim())
		allowed := p.Gap * m * (m + 1) / 2
		var start *mat.SymDense
		for range 4 {
			r, err := p.Solve(start)
			if err != nil {
				t.Fatal(err)
			}
			value, _ := p.Objective(r.Precision)
			if !(value >= most-allowed-1e-9) || r.Gap > allowed*(1+1e-9)+1e-9 || value+r.Gap < most-1e-9 {
				t.Fatalf("objective %g with a gap of %g and a maximum of %g, want a gap of at most %g", value, r.Gap, most, allowed)
			}
			if start != nil {
				if before, _ := p.Objective(start); value < before-1e-9 || value-before < 1e-9 && most-before > math.Max(allowed/100, 1e-6) {
					t.Fatalf("objective %g after %g, with a maximum of %g", value, before, most)
				}
			}
			start = r.Precision
		}
	})
}

// separate draws a problem of several groups of variables, which are correlated within their group
// alone, and hardly in some.
func separate(t *rapid.T) Problem {
	m := rapid.IntRange(2, 14).Draw(t, "m")
	groups := rapid.IntRange(1, 4).Draw(t, "groups")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	const n = 30
	x := mat.NewDense(n, m, nil)
	for i := range n {
		common := make([]float64, groups)
		for g := range common {
			common[g] = rng.NormFloat64()
		}
		for j := range m {
			x.Set(i, j, common[j%groups]+rng.NormFloat64())
		}
	}
	s := mat.NewSymDense(m, nil)
	s.SymOuterK(1.0/n, x.T())
	return Problem{S: s, Penalty: rapid.Float64Range(0.01, 1).Draw(t, "λ"), FreeDiagonal: rapid.Bool().Draw(t, "free")}
}
