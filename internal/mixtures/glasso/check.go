package glasso

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// violation returns the distance of 0 from the subdifferential g + λ∂|x|. x = NaN marks a value
// without a penalty.
func violation(x, g, lambda float64) float64 {
	switch {
	case x > 0:
		g += lambda
	case x < 0:
		g -= lambda
	case x == 0:
		return larger(0, math.Abs(g)-lambda)
	}
	return math.Abs(g)
}

// gap returns an upper bound of the distance between the objective at b and its optimum. With
// the smallest subgradient R, W + R is a point of the dual problem: its element is s_ij plus λ
// times the sign of x_ij where x_ij ≠ 0, and within λ of s_ij elsewhere. There the dual
// objective differs from the objective at X by
//
//	Tr(XR) − ln det(1 + XR)  ≤  q/2(1−√q)
//
// where q = Tr(XRXR), if q < 1. Otherwise it tries points between s, which may be singular, and
// W clipped to |w_ij − s_ij| ≤ λ, starting from the latter.
func (c *descent) gap(b *block) float64 {
	if gap := c.near(b); !math.IsInf(gap, 1) {
		return gap
	}
	dual := point{x: slices.Clone(b.s), w: make([]float64, len(b.s))}
	for step := 1.0; ; step /= 2 {
		if step < 1e-6 {
			step = 0
		}
		for i := range b.s {
			if i%(b.p+1) != 0 {
				dual.x[i] = b.s[i] + float64(step*math.Max(-b.lambda, math.Min(b.w[i]-b.s[i], b.lambda)))
			}
		}
		if b.evaluate(&dual) {
			return b.value - dual.logDet - float64(b.p)
		}
		if step == 0 {
			return math.Inf(1)
		}
	}
}

// near is gap for points near the optimum, those with q < 1; it returns +Inf for others.
func (c *descent) near(b *block) float64 {
	c.start(b)
	copy(c.g, c.slopes)
	if q := math.Max(0, c.energy(b)); q < 1 {
		return q / (2 - 2*math.Sqrt(q))
	}
	return math.Inf(1)
}

// least returns a lower bound of the minimum of the block: the dual objective at the point to which D
// leads, W − WDW, with s_ij plus λ times the sign of x_ij + d_ij where that is not 0, and elsewhere
// clipped to |w_ij − s_ij| ≤ λ. It is −Inf if that point is not positive definite.
func (c *descent) least(b *block) float64 {
	q := &b.next
	multiply(b.p, b.w, c.dw, q.w)
	for i, s := range b.s {
		q.x[i] = s
		if i%(b.p+1) != 0 {
			q.x[i] += math.Max(-b.lambda, math.Min(b.w[i]-q.w[i]-s, b.lambda))
		}
	}
	c.each(func(k, i, j int) {
		if x := c.x[k] + c.d[k]; i != j && x != 0 {
			q.x[i*b.p+j] = b.s[i*b.p+j] + math.Copysign(b.lambda, x)
		}
	})
	if !b.evaluate(q) {
		return math.Inf(-1)
	}
	return q.logDet + float64(b.p)
}

// Objective returns ln|Λ| − Tr(ΛS) − λ‖Λ‖₁, or −∞ if x is not positive definite.
func (p Problem) Objective(x *mat.SymDense) (float64, error) {
	s, err := p.smooth()
	if err != nil {
		return 0, err
	}
	c, ok := lapack.Factorise(x)
	if !ok {
		return math.Inf(-1), nil
	}
	value := c.LogDet()
	for i := range s.SymmetricDim() {
		for j := range s.SymmetricDim() {
			value -= float64(s.At(i, j) * x.At(i, j))
			if i != j {
				value -= float64(p.Penalty * math.Abs(x.At(i, j)))
			}
		}
	}
	return value, nil
}
