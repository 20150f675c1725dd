// Package logistic learns a logistic regression from the rows of participants that do not share
// them.
package logistic

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

const Ridge = 1 // weight of the penalty ½‖w‖², in rows; the same at all members

// Learner fits w in P(y = 1 | x) = 1/(1 + e^(-w·x)) by Newton's method.
type Learner struct {
	X        *mat.Dense // rows of the participant; features are clipped to the range from -1 to 1
	Y        []float64  // 0 or 1 per row
	MostRows int        // most rows of any participant; the same at all members
	W        []float64  // learned weights; the same at all members
}

// Start begins with w = 0. A learner that has to agree on more can use the group.
func (l *Learner) Start(context.Context, collabdict.Group) error {
	l.W = make([]float64, l.X.RawMatrix().Cols)
	return nil
}

// LocalUpdate returns the gradient of the log-likelihood of this participant's rows, minus its
// Hessian, and the log-likelihood. All are sums over rows, so their totals are those of all
// rows.
func (l *Learner) LocalUpdate() (collabdict.Summand, error) {
	n, dim := l.X.Dims()
	x := make([]float64, dim+dim*dim+1)
	for i := range n {
		row, z := mat.Row(nil, i, l.X), 0.0
		for j, v := range row {
			row[j] = max(-1, min(v, 1))
			z += l.W[j] * row[j]
		}
		p := 1 / (1 + math.Exp(-z))
		for j, v := range row {
			x[j] += (l.Y[i] - p) * v
			for k, u := range row {
				x[dim+j*dim+k] += p * (1 - p) * v * u
			}
		}
		x[len(x)-1] += l.Y[i]*z - max(z, 0) - math.Log1p(math.Exp(-math.Abs(z)))
	}
	rows, size := float64(l.MostRows), 1.0
	for _, w := range l.W {
		size += math.Abs(w)
	}
	// The most that a row can add to each value, times the most rows of any participant.
	bounds := []collabdict.Block{{Len: dim, Bound: rows}, {Len: dim * dim, Bound: rows / 4}, {Len: 1, Bound: rows * size}}
	return collabdict.Summand{Entry: "gradients", Values: x, Blocks: bounds}, nil
}

// Optimize makes a step. The conversions round products alike on all processors, so w is the
// same.
func (l *Learner) Optimize(total []float64, included bool) (objective float64, err error) {
	dim, step := len(l.W), make([]float64, len(l.W))
	for range 100 { // solves the equations of Newton's step by the Gauss-Seidel method
		for j, w := range l.W {
			rest := total[j] - float64(Ridge*(w+step[j]))
			for k, s := range step {
				rest -= float64(total[dim+j*dim+k] * s)
			}
			step[j] += rest / (total[dim+j*dim+j] + Ridge)
		}
	}
	for j, s := range step {
		objective -= float64(Ridge * l.W[j] * l.W[j] / 2)
		l.W[j] += s
	}
	return objective + total[len(total)-1], nil
}

// Digest lets members compare their parameters at the start of each round.
func (l *Learner) Digest() [32]byte { return sha256.Sum256(fmt.Append(nil, l.W)) }
