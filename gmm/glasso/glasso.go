package glasso

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/parallel"
)

// Problem is max ln|Λ| − Tr(ΛS) − Penalty·‖Λ‖₁.
type Problem struct {
	// S is the scatter matrix, M by M. It may be singular, or indefinite by
	// less than the penalty; diagonal values below 0 are taken as 0.
	S mat.Symmetric
	// Penalty is λ, more than 0.
	Penalty float64
	// FreeDiagonal leaves the diagonal of Λ out of the norm, as some other
	// programs do. S then needs a positive diagonal.
	FreeDiagonal bool
	// MaxSteps bounds the Newton steps of a connected block; 0 means 200.
	MaxSteps int
}

// StalledError says that a connected block stopped short of the optimality
// conditions.
type StalledError struct {
	// Residual is the largest violation, Want the one wanted, in the units of S.
	Residual, Want float64
	// Gap bounds how far the objective is below its maximum, +Inf if nothing is known.
	Gap float64
	// Steps is the number of Newton steps taken.
	Steps int
}

func (e *StalledError) Error() string {
	return fmt.Sprintf("stuck at a residual of %.2g and a duality gap of %.2g after %d steps, want at most %.2g and %g per variable: raise the penalty", e.Residual, e.Gap, e.Steps, e.Want, enoughGap)
}

// Result is a solution.
type Result struct {
	// Precision is Λ, Covariance its inverse, both M by M.
	Precision, Covariance *mat.SymDense
	// LogDet is ln|Λ|.
	LogDet float64
	// Steps is the largest number of Newton steps that a connected block took.
	Steps int
	// Residual is the largest violation of the optimality conditions, in the
	// units of S.
	Residual float64
	// Gap bounds how far the objective at Precision is below its maximum, +Inf if
	// nothing is known. It is about the square of the residual's relative size.
	Gap float64
}

// Solve maximises the objective. A positive definite start near the solution
// saves Newton steps; one that is nil or not positive definite is not used. With a
// *StalledError, which only an indefinite or extremely ill-conditioned S or a small
// MaxSteps brings about, it returns the best point found too: positive definite and
// no worse than the start.
//
// Connected components of the graph |S_ij| > λ are solved one by one: they are
// those of the solution (Witten, Friedman and Simon 2011; Mazumder and Hastie
// 2012).
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
		blocks[i] = newBlock(s, p.Penalty, all[i], start)
		solved[i] = blocks[i].solve(steps)
		blocks[i].descent = descent{} // memory of blocks still to come
	})
	for i, b := range blocks {
		if !solved[i] && err == nil {
			err = fmt.Errorf("graphical lasso of %d variables, penalty %g: %w", m, p.Penalty, b.stalled())
		}
		r.take(b, all[i])
	}
	return r, err
}

// take copies the solution of the block of the given variables.
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

// smooth returns S with the diagonal's penalty added to its diagonal. As
// |Λ_ii| = Λ_ii the problem is then the one that penalises no diagonal.
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

// components returns the connected components of the graph with an edge where
// |s_ij| > penalty, each ascending, ordered by their first variable.
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
