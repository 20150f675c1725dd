package glasso

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// checkSolution fails unless r meets the optimality conditions, recomputed from their
// definition, and the identities that follow from them.
func checkSolution(t rapid.TB, p Problem, r *Result) {
	m := p.S.SymmetricDim()
	var inv, product mat.Dense
	if err := inv.Inverse(r.Precision); err != nil {
		t.Fatalf("the precision has no inverse: %v", err)
	}
	scale := p.Penalty
	for i := range m {
		scale = math.Max(scale, math.Abs(p.S.At(i, i))+p.Penalty)
		for j := range m {
			scale = math.Max(scale, math.Abs(p.S.At(i, j)))
		}
	}
	tol := 1e-6 * scale
	trace, norm := 0.0, 0.0
	for i := range m {
		for j := range m {
			x, s := r.Precision.At(i, j), p.S.At(i, j)
			if i == j {
				s = math.Max(s, 0)
			}
			trace += x * s
			norm += math.Abs(x)
			g := s - inv.At(i, j)
			switch {
			case i == j && p.FreeDiagonal:
				norm -= x
			case x != 0:
				g += math.Copysign(p.Penalty, x)
			default:
				g = math.Max(0, math.Abs(g)-p.Penalty)
			}
			if math.Abs(g) > tol {
				t.Fatalf("optimality violated by %g at %d,%d, want at most %g", g, i, j, tol)
			}
		}
	}
	if got := trace + p.Penalty*norm; !near(got, float64(m), 1e-5) {
		t.Fatalf("Tr(ΛS)+λ‖Λ‖₁ = %g, want M = %d", got, m)
	}
	if got := mat.Trace(r.Precision); !p.FreeDiagonal && got > float64(m)/p.Penalty*(1+1e-6) {
		t.Fatalf("Tr Λ = %g, want at most M/λ = %g", got, float64(m)/p.Penalty)
	}
	product.Mul(r.Precision, r.Covariance)
	for i := range m {
		product.Set(i, i, product.At(i, i)-1)
	}
	if d := mat.Norm(&product, math.Inf(1)); d > 1e-6 {
		t.Fatalf("‖ΛW−I‖ = %g", d)
	}
	if gap, err := dualityGap(p, r); err != nil || gap < -1e-8 || gap > 1e-4*float64(m) {
		t.Fatalf("duality gap %g (%v), want about 0", gap, err)
	}
	if r.Gap < 0 || r.Gap > 1e-4*float64(m) {
		t.Fatalf("duality gap %g in the result, want about 0", r.Gap)
	}
}

// scatter draws the scatter matrix of n rows in m dimensions with correlated columns. If n < m
// it is singular, and rounding makes it slightly indefinite.
func scatter(t *rapid.T, m, n int) *mat.SymDense {
	unit := rapid.Float64Range(-2, 2)
	x := mat.NewDense(n, m, nil)
	for i := range n {
		common := unit.Draw(t, "common")
		for j := range m {
			x.Set(i, j, common*float64(j%3)+unit.Draw(t, "x"))
		}
	}
	s := mat.NewSymDense(m, nil)
	s.SymOuterK(1/float64(n), x.T())
	for i := range m {
		for j := range i {
			s.SetSym(i, j, s.At(i, j)+1e-15*unit.Draw(t, "rounding"))
		}
	}
	return s
}

func TestSolutionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := rapid.IntRange(1, 7).Draw(t, "m"), rapid.IntRange(1, 9).Draw(t, "n")
		p := Problem{S: scatter(t, m, n), Penalty: math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "log λ"))}
		r, err := p.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		checkSolution(t, p, r)
		value, _ := p.Objective(r.Precision)
		other := mat.NewSymDense(m, nil)
		other.CopySym(r.Precision)
		i, j := rapid.IntRange(0, m-1).Draw(t, "i"), rapid.IntRange(0, m-1).Draw(t, "j")
		step := rapid.Float64Range(-0.5, 0.5).Draw(t, "step")
		other.SetSym(i, j, other.At(i, j)*(1+step)+step)
		if v, _ := p.Objective(other); v > value+1e-8*(1+math.Abs(value)) {
			t.Fatalf("objective %g at the solution, %g beside it", value, v)
		}
		warm, err := Problem{S: p.S, Penalty: p.Penalty * 1.1}.Solve(r.Precision)
		if err != nil {
			t.Fatal(err)
		}
		cold, err := Problem{S: p.S, Penalty: p.Penalty * 1.1}.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := maxDiff(warm.Precision, cold.Precision); d > 1e-5*mat.Max(cold.Precision) {
			t.Fatalf("the start changes the solution by %g", d)
		}
	})
}

func TestOneVariable(t *testing.T) {
	for _, s := range []float64{0, -1e-12, 0.3, 1e6} {
		r, err := Problem{S: sym([][]float64{{s}}), Penalty: 0.25}.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := 1 / (math.Max(s, 0) + 0.25); r.Precision.At(0, 0) != want {
			t.Errorf("S = %g: Λ = %g, want %g", s, r.Precision.At(0, 0), want)
		}
	}
}

// In two dimensions W₁₂ is S₁₂ moved towards 0 by λ.
func TestTwoVariables(t *testing.T) {
	for _, s12 := range []float64{-0.9, -0.3, -0.1, 0, 0.05, 0.3, 0.95} {
		const lambda = 0.1
		r, err := Problem{S: sym([][]float64{{1, s12}, {s12, 2}}), Penalty: lambda}.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		w := soft(s12, lambda)
		det := (1+lambda)*(2+lambda) - w*w
		want := sym([][]float64{{(2 + lambda) / det, -w / det}, {-w / det, (1 + lambda) / det}})
		if d := maxDiff(r.Precision, want); d > 1e-8 {
			t.Errorf("S₁₂ = %g: Λ differs by %g", s12, d)
		}
	}
}

func TestPenalisedDiagonalIsAShift(t *testing.T) {
	s := sym([][]float64{{1, .5, .2}, {.5, 2, -.7}, {.2, -.7, 1.5}})
	shifted := mat.NewSymDense(3, nil)
	shifted.CopySym(s)
	for i := range 3 {
		shifted.SetSym(i, i, s.At(i, i)+0.1)
	}
	a, err := Problem{S: s, Penalty: 0.1}.Solve(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Problem{S: shifted, Penalty: 0.1, FreeDiagonal: true}.Solve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := maxDiff(a.Precision, b.Precision); d > 1e-12 {
		t.Errorf("the two differ by %g", d)
	}
	checkSolution(t, Problem{S: shifted, Penalty: 0.1, FreeDiagonal: true}, b)
}

// Cases that break solvers are solved: nothing to fit, no edges, equal columns, variances nine
// decades apart, more variables than rows.
func TestDegenerate(t *testing.T) {
	ones := mat.NewSymDense(6, nil)
	spread := mat.NewSymDense(6, nil)
	diagonal := mat.NewSymDense(6, nil)
	for i := range 6 {
		diagonal.SetSym(i, i, float64(i))
		for j := range 6 {
			ones.SetSym(i, j, 1)
			spread.SetSym(i, j, math.Pow(10, -float64(i+j)))
		}
		spread.SetSym(i, i, 2*math.Pow(10, -2*float64(i)))
	}
	for name, s := range map[string]*mat.SymDense{"zero": mat.NewSymDense(6, nil), "diagonal": diagonal, "equal columns": ones, "spread": spread} {
		for _, lambda := range []float64{10, 0.1, 1e-3, 1e-5} {
			p := Problem{S: s, Penalty: lambda}
			r, err := p.Solve(nil)
			if err != nil {
				t.Errorf("%s, λ = %g: %v", name, lambda, err)
				continue
			}
			checkSolution(t, p, r)
		}
	}
}

// Coordinate descent alone does not solve these cases: more variables than rows, strong
// correlations, and a penalty of a thousandth of the largest variance.
func TestSingularAndCorrelated(t *testing.T) {
	for n := 1; n <= 8; n++ {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		m := 12 + n
		x := mat.NewDense(n, m, nil)
		for i := range n {
			common := rng.NormFloat64()
			for j := range m {
				x.Set(i, j, common*float64(j%3)+0.1*rng.NormFloat64())
			}
		}
		s := mat.NewSymDense(m, nil)
		s.SymOuterK(1/float64(n), x.T())
		p := Problem{S: s, Penalty: mat.Max(s) / 1000}
		r, err := p.Solve(nil)
		if err != nil {
			t.Errorf("%d rows: %v", n, err)
			continue
		}
		checkSolution(t, p, r)
	}
}

func TestWarmStartTakesFewSteps(t *testing.T) {
	p := readKnown(t, "testdata/p20-rho0.05-diag.json.gz").problem()
	cold, err := p.Solve(nil)
	if err != nil {
		t.Fatal(err)
	}
	warm, err := p.Solve(cold.Precision)
	if err != nil {
		t.Fatal(err)
	}
	if warm.Steps > 0 || cold.Steps > 20 {
		t.Errorf("%d steps cold and %d from the solution, want at most 20 and 0", cold.Steps, warm.Steps)
	}
	again, _ := p.Solve(nil)
	if maxDiff(again.Precision, cold.Precision) != 0 {
		t.Error("the same problem gave other bits")
	}
	singular := mat.NewSymDense(20, nil)
	if r, err := p.Solve(singular); err != nil || maxDiff(r.Precision, cold.Precision) != 0 {
		t.Errorf("a start that is not positive definite was used (%v)", err)
	}
}

// If a problem differs little from the last one, as between rounds of EM, the last solution as
// a start saves steps.
func TestWarmStartSavesSteps(t *testing.T) {
	for _, name := range []string{"p20-rho0.05-diag", "p60-rho0.05-diag", "p60-rho0.3-diag"} {
		p := readKnown(t, "testdata/"+name+".json.gz").problem()
		cold, err := p.Solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(4, 4))
		s := mat.NewSymDense(p.S.SymmetricDim(), nil)
		for i := range s.SymmetricDim() {
			for j := range i + 1 {
				s.SetSym(i, j, p.S.At(i, j)*(1+1e-3*rng.NormFloat64()))
			}
		}
		moved := Problem{S: s, Penalty: p.Penalty, FreeDiagonal: p.FreeDiagonal}
		warm, err := moved.Solve(cold.Precision)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := moved.Solve(nil); err != nil || maxDiff(warm.Precision, again.Precision) > 1e-7 {
			t.Errorf("%s: the start changes the solution (%v)", name, err)
		} else if warm.Steps > 3 || warm.Steps >= again.Steps {
			t.Errorf("%s: %d steps from the last solution, %d from none, want at most 3", name, warm.Steps, again.Steps)
		}
	}
}

func TestErrors(t *testing.T) {
	one := sym([][]float64{{1}})
	for want, p := range map[string]Problem{
		"penalty: want a finite number above 0, got 0":   {S: one},
		"penalty: want a finite number above 0, got NaN": {S: one, Penalty: math.NaN()},
		"got NaN in row 1, column 2":                     {S: sym([][]float64{{1, math.NaN()}, {math.NaN(), 1}}), Penalty: 1},
		"got 0 for variable 1":                           {S: sym([][]float64{{0}}), Penalty: 1, FreeDiagonal: true},
		"raise the penalty":                              {S: sym([][]float64{{1, 5}, {5, 1}}), Penalty: 0.1},
	} {
		if _, err := p.Solve(nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}
