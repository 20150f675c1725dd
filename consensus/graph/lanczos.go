package graph

import (
	"math"
	"math/rand/v2"
)

const (
	// estimateChange is the relative change of both eigenvalues during a quarter more
	// iterations below which an estimate has converged.
	estimateChange = 1e-10
	// estimateMargin is far above the remaining error, and far below a change that would matter
	// for a predicted number of iterations.
	estimateMargin = 1e-7
)

// estimate returns estimates of the smallest and the largest eigenvalue of the weighted
// Laplacian on vectors of mean zero, by Lanczos iteration. The iteration approaches them from
// inside the spectrum, and the margin moves them outside. Basis vectors are not kept. The
// resulting loss of orthogonality only adds copies of eigenvalues that have converged (Paige
// 1976), and the outermost ones stay in place. Each iteration removes the constant vector,
// whose eigenvalue 0 would otherwise enter by rounding.
//
// Products are rounded before they are added, so that all architectures draw the same graphs.
func (g *Graph) estimate(weights func(v int) []float64) Spectrum {
	n := g.Len()
	l := make([][]float64, n)
	for v := range l {
		l[v] = weights(v)
	}
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	q, last, next := make([]float64, n), make([]float64, n), make([]float64, n)
	for v := range q {
		q[v] = rng.Float64() - 0.5
	}
	normalise(q, center(q))
	var t tridiagonal
	var found Spectrum
	scale := 0.0
	for check, beta := 16, 0.0; ; {
		g.apply(next, q, l)
		alpha := dot(next, q)
		for v := range next {
			next[v] -= float64(alpha*q[v]) + float64(beta*last[v])
		}
		t.diagonal, t.off = append(t.diagonal, alpha), append(t.off, beta)
		beta = center(next)
		scale = max(scale, alpha+beta)
		exhausted := beta <= 1e-13*scale
		if len(t.diagonal) == check || exhausted {
			s := t.extremes()
			small := 1e-14 * s.LambdaMax
			if exhausted || math.Abs(s.Lambda2-found.Lambda2) <= estimateChange*s.Lambda2+small &&
				math.Abs(s.LambdaMax-found.LambdaMax) <= estimateChange*s.LambdaMax {
				return Spectrum{Lambda2: s.Lambda2 * (1 - estimateMargin), LambdaMax: s.LambdaMax * (1 + estimateMargin)}
			}
			found, check = s, check+check/4
		}
		normalise(next, beta)
		last, q, next = q, next, last
	}
}

// apply sets y to L x for the Laplacian with the weights l.
func (g *Graph) apply(y, x []float64, l [][]float64) {
	for v, neighbours := range g.adj {
		sum, w := 0.0, l[v]
		for i, u := range neighbours {
			sum += float64(w[i] * (x[v] - x[u]))
		}
		y[v] = sum
	}
}

// center subtracts the mean from x and returns the norm of the result.
func center(x []float64) float64 {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i := range x {
		x[i] -= mean
	}
	return math.Sqrt(dot(x, x))
}

func normalise(x []float64, norm float64) {
	for i := range x {
		x[i] /= norm
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// A tridiagonal is a symmetric tridiagonal matrix; off[i] is the element between diagonal[i-1]
// and diagonal[i].
type tridiagonal struct{ diagonal, off []float64 }

// bound returns an upper bound of the absolute eigenvalues (Gershgorin).
func (t *tridiagonal) bound() float64 {
	bound := 0.0
	for i, d := range t.diagonal {
		radius := t.off[i]
		if i+1 < len(t.off) {
			radius += t.off[i+1]
		}
		bound = max(bound, math.Abs(d)+radius)
	}
	return bound
}

// extremes returns the smallest and the largest eigenvalue.
func (t *tridiagonal) extremes() Spectrum {
	return Spectrum{Lambda2: t.eigenvalue(0), LambdaMax: t.eigenvalue(len(t.diagonal) - 1)}
}

// eigenvalue returns the k-th smallest eigenvalue, counted from 0, by bisection.
func (t *tridiagonal) eigenvalue(k int) float64 {
	high := t.bound()
	low := -high
	for range 64 {
		middle := (low + high) / 2
		if t.below(middle) > k {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// below returns the number of eigenvalues below x, by Sturm's sequence.
func (t *tridiagonal) below(x float64) int {
	count, pivot := 0, 1.0
	for i, d := range t.diagonal {
		pivot = d - x - float64(t.off[i]*t.off[i])/pivot
		if pivot == 0 {
			pivot = 0x1p-1000
		}
		if pivot < 0 {
			count++
		}
	}
	return count
}
