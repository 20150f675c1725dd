// Package logistic is a learner of one's own: logistic regression on the rows of all
// participants, of which nobody sees another's.
package logistic

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// Ridge is the weight of the penalty ½‖w‖², in rows. All members use the same.
const Ridge = 1

// Learner fits w in P(y = 1 | x) = 1/(1 + e^(-w·x)) by Newton's method.
type Learner struct {
	X        *mat.Dense // the own rows; features are clipped to the range from -1 to 1
	Y        []float64  // 0 or 1 for each row
	MostRows int        // no participant has more; the same at all members
	W        []float64  // what is learned; the same at all members
}

// Start begins with w = 0. A learner that has to agree on more uses the group here.
func (l *Learner) Start(context.Context, collabdict.Group) error {
	_, dim := l.X.Dims()
	l.W = make([]float64, dim)
	return nil
}

// LocalUpdate returns the gradient of the log-likelihood of the own rows, minus its
// Hessian, and the log-likelihood itself: sums over rows, so their total is that of all.
func (l *Learner) LocalUpdate() ([]float64, []collabdict.Block, error) {
	n, dim := l.X.Dims()
	x := make([]float64, dim+dim*dim+1)
	gradient, hessian, last := x[:dim], x[dim:], len(x)-1
	for i := range n {
		row := mat.Row(nil, i, l.X)
		for j, v := range row {
			row[j] = max(-1, min(v, 1))
		}
		z := floats.Dot(l.W, row)
		p := 1 / (1 + math.Exp(-z))
		for j, v := range row {
			gradient[j] += (l.Y[i] - p) * v
			floats.AddScaled(hessian[j*dim:(j+1)*dim], p*(1-p)*v, row)
		}
		x[last] += l.Y[i]*z - max(z, 0) - math.Log1p(math.Exp(-math.Abs(z)))
	}
	// What one row can add to each, times the most rows that anybody has.
	rows := float64(l.MostRows)
	return x, []collabdict.Block{
		{Len: dim, Bound: rows},
		{Len: dim * dim, Bound: rows / 4},
		{Len: 1, Bound: rows * (floats.Norm(l.W, 1) + 1)},
	}, nil
}

// Optimize makes a step from the total of all members.
func (l *Learner) Optimize(total []float64, included bool) (objective float64, err error) {
	dim := len(l.W)
	objective = total[len(total)-1] - Ridge/2.0*floats.Dot(l.W, l.W)
	hessian := mat.NewSymDense(dim, total[dim:dim+dim*dim])
	for j := range dim {
		total[j] -= Ridge * l.W[j]
		hessian.SetSym(j, j, hessian.At(j, j)+Ridge)
	}
	var c mat.Cholesky
	step := mat.NewVecDense(dim, nil)
	if !c.Factorize(hessian) || c.SolveVecTo(step, mat.NewVecDense(dim, total[:dim])) != nil {
		return 0, errors.New("logistic: the step has no solution")
	}
	floats.Add(l.W, step.RawVector().Data)
	return objective, nil
}
