package glasso

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// A Problem is max ln|Λ| − Tr(ΛS) − Penalty·‖Λ‖₁.
type Problem struct {
	// S is the scatter matrix, M by M. It may be singular, or indefinite by less than the
	// penalty. Diagonal values below 0 count as 0.
	S mat.Symmetric
	// Penalty is λ, above 0.
	Penalty float64
	// FreeDiagonal leaves the diagonal of Λ out of the norm, as some other programs do. S then
	// needs a positive diagonal.
	FreeDiagonal bool
	// Gap is how far the objective may end below its maximum, per element of Λ that may differ from 0,
	// of those on and above the diagonal. A start that is not within a hundredth of it takes at least
	// one step. With 0 the solution is as accurate as rounding allows.
	Gap float64
	// MaxSteps is the maximum number of Newton steps per connected block; 0 means 200.
	MaxSteps int
}

// A StalledError means that a connected block did not reach the optimality conditions.
type StalledError struct {
	// Residual is the largest violation and Want its allowed size, in the units of S.
	Residual, Want float64
	// Gap is an upper bound of the distance between the objective and its maximum, +Inf if
	// unknown.
	Gap float64
	// Steps is the number of Newton steps taken.
	Steps int
}

func (e *StalledError) Error() string {
	return fmt.Sprintf("stuck at a residual of %.2g and a duality gap of %.2g after %d steps, want at most %.2g and %g per variable: raise the penalty", e.Residual, e.Gap, e.Steps, e.Want, enoughGap)
}

// A Result is a solution.
type Result struct {
	// Precision is Λ, Covariance its inverse, both M by M.
	Precision, Covariance *mat.SymDense
	// LogDet is ln|Λ|.
	LogDet float64
	// Steps is the largest number of Newton steps taken in a connected block.
	Steps int
	// Residual is the largest violation of the optimality conditions, in the units of S.
	Residual float64
	// Gap is an upper bound of the distance between the objective at Precision and its maximum,
	// +Inf if unknown. It is about the square of the relative residual.
	Gap float64
}

// Solve maximises the objective. A positive definite start near the solution saves Newton
// steps; it ignores a start that is nil or not positive definite. If S is indefinite or
// extremely ill-conditioned, or MaxSteps is small, it may return a *StalledError together with
// the best point found, which is positive definite and no worse than the start.
//
// Connected components of the graph |S_ij| > λ are solved one by one, because they are those of
// the solution (Witten, Friedman and Simon 2011; Mazumder and Hastie 2012).
func (p Problem) Solve(start *mat.SymDense) (*Result, error) {
	s, err := p.smooth()
	if err != nil {
		return nil, err
	}
	m := p.S.SymmetricDim()
	if start != nil && start.SymmetricDim() != m {
		panic(errShape)
	}
	steps := p.MaxSteps
	if steps == 0 {
		steps = maxSteps
	}
	r := &Result{Precision: mat.NewSymDense(m, nil), Covariance: mat.NewSymDense(m, nil)}
	all := components(s, p.Penalty)
	blocks, solved := make([]*block, len(all)), make([]bool, len(all))
	parallel.For(len(all), func(i int) {
		blocks[i] = newBlock(s, p, all[i], start)
		solved[i] = blocks[i].solve(steps)
		if blocks[i].p > mostKept {
			blocks[i].descent = descent{} // free memory for the remaining blocks
		}
	})
	for i, b := range blocks {
		if !solved[i] && err == nil {
			err = fmt.Errorf("graphical lasso of %d variables, penalty %g: %w", m, p.Penalty, b.stalled())
		}
		r.take(b, all[i])
		b.end()
	}
	return r, err
}

// take copies the solution of the block with the given variables.
func (r *Result) take(b *block, members []int) {
	for i, gi := range members {
		for j, gj := range members[:i+1] {
			r.Precision.SetSym(gj, gi, b.x[i*b.p+j])
			r.Covariance.SetSym(gj, gi, b.w[i*b.p+j])
		}
	}
	r.LogDet += b.logDet
	r.Steps = max(r.Steps, b.steps)
	r.Residual = math.Max(r.Residual, b.residual)
	r.Gap += b.gap
}

const errShape = "glasso: start and S have different sizes"

// smooth returns S with the penalty of the diagonal added to its diagonal. As |Λ_ii| = Λ_ii,
// the problem then has no penalty on the diagonal.
func (p Problem) smooth() (*mat.SymDense, error) {
	if !(p.Penalty > 0) || math.IsInf(p.Penalty, 1) {
		return nil, fmt.Errorf("penalty: want a finite number above 0, got %g", p.Penalty)
	}
	m := p.S.SymmetricDim()
	s := mat.NewSymDense(m, nil)
	for i := range m {
		for j := i; j < m; j++ {
			v := p.S.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("scatter matrix: want finite values, got %g in row %d, column %d", v, i+1, j+1)
			}
			s.SetSym(i, j, v)
		}
		d := math.Max(s.At(i, i), 0)
		if !p.FreeDiagonal {
			d += p.Penalty
		}
		if d == 0 {
			return nil, fmt.Errorf("scatter matrix: want positive variances when the diagonal is not penalised, got 0 for variable %d", i+1)
		}
		s.SetSym(i, i, d)
	}
	return s, nil
}

// components returns the connected components of the graph with an edge where |s_ij| > penalty,
// each in ascending order, ordered by their first variable.
func components(s *mat.SymDense, penalty float64) [][]int {
	m := s.SymmetricDim()
	seen := make([]bool, m)
	var all [][]int
	for first := range m {
		if seen[first] {
			continue
		}
		in := make([]bool, m)
		in[first] = true
		for queue := []int{first}; len(queue) > 0; {
			i := queue[0]
			queue = queue[1:]
			for j := range m {
				if !in[j] && j != i && math.Abs(s.At(i, j)) > penalty {
					in[j] = true
					queue = append(queue, j)
				}
			}
		}
		var members []int
		for i := range m {
			if in[i] {
				seen[i] = true
				members = append(members, i)
			}
		}
		all = append(all, members)
	}
	return all
}
