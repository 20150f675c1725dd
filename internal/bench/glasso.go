package bench

import (
	"context"
	"math"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/glasso"
)

// Glasso describes the graphical lasso to measure.
type Glasso struct {
	S       *mat.SymDense
	Penalty float64 // penalty of all elements, including the diagonal
	Reps    int     // solutions from scratch
	Threads int
}

// GlassoReport is the output of the command bench glasso. Its names are a contract.
type GlassoReport struct {
	Size    int     `json:"p"`       // variables
	Penalty float64 `json:"rho"`     // the penalty
	Threads int     `json:"threads"` // threads
	Seconds float64 `json:"seconds"` // time of the fastest solution
	// Objective is ln|Λ| − Tr(ΛS) − ρ‖Λ‖₁.
	Objective float64 `json:"objective"`
	Nonzero   float64 `json:"nonzero"`  // share of the elements above 1e-9 in size
	Gap       float64 `json:"gap"`      // bound on the distance of the objective from its maximum
	Residual  float64 `json:"residual"` // largest violation of the optimality conditions
	Steps     int     `json:"steps"`    // steps of the solver
}

// MeasureGlasso solves a graphical lasso several times.
func MeasureGlasso(ctx context.Context, g Glasso) (*GlassoReport, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(g.Threads))
	problem := glasso.Problem{S: g.S, Penalty: g.Penalty}
	r := &GlassoReport{Size: g.S.SymmetricDim(), Penalty: g.Penalty, Threads: g.Threads, Seconds: math.Inf(1)}
	var solution *glasso.Result
	for range g.Reps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		start := time.Now()
		if solution, err = problem.Solve(nil); err != nil {
			return nil, err
		}
		r.Seconds = min(r.Seconds, time.Since(start).Seconds())
	}
	var err error
	r.Objective, err = problem.Objective(solution.Precision)
	r.Nonzero = shareAbove(solution.Precision, 1e-9)
	r.Gap, r.Residual, r.Steps = solution.Gap, solution.Residual, solution.Steps
	return r, err
}

// shareAbove returns the share of elements above a size.
func shareAbove(x *mat.SymDense, size float64) float64 {
	n, count := x.SymmetricDim(), 0
	for i := range n {
		for j := range n {
			if math.Abs(x.At(i, j)) > size {
				count++
			}
		}
	}
	return float64(count) / float64(n*n)
}
