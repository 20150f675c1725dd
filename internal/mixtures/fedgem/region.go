package fedgem

import (
	"math"
	"slices"
)

// region is where a published centre may be: a ball, or if shape is given the ellipsoid {θ:
// (θ−M)ᵀ shape⁻¹ (θ−M) ≤ radius²}.
type region struct {
	rows   float64   // N_k
	centre []float64 // M_k
	radius float64   // at least 0
	// spread is the variance of the component's rows, averaged over the columns.
	spread float64
	// shape is the covariance of the component's rows, row-major M by M; nil for a ball.
	shape []float64
}

// minRows is the smallest number of rows of a component that counts. A component of fewer has
// no meaningful centre.
const minRows = 1

func (r region) empty() bool { return !(r.rows >= minRows) }

// near reports whether two balls whose radii sum to reach meet, and if so returns the squared
// distance between their centres. The result is the same on every machine, because it follows
// from sums, products, quotients and roots in a fixed order.
func near(a, b []float64, reach float64) (square float64, may bool) {
	limit := float64(reach * reach)
	b = b[:len(a)]
	for i, v := range a {
		d := v - b[i]
		if square += float64(d * d); square > limit {
			return 0, false
		}
	}
	return square, true
}

// meets reports whether two regions whose enclosing balls meet have a point in common.
func (r region) meets(o region) bool { return r.shape == nil || ellipsoidsMeet(r, o) }

// reach returns the radius of a ball about the centre that encloses the region. For an
// ellipsoid it is the root of the trace of its matrix.
func (r region) reach() float64 {
	if r.shape == nil {
		return r.radius
	}
	dim, trace := len(r.centre), 0.0
	for i := range dim {
		trace += r.shape[i*dim+i]
	}
	return float64(r.radius * math.Sqrt(trace))
}

// ellipsoidsMeet decides by the theorem of Gilitschenski and Hanebeck (2012). Let A and B be
// the matrices of the two ellipsoids and d the vector between their centres. They are apart if
// and only if f(s) = dᵀ(A/s + B/(1−s))⁻¹d > 1 for some s between 0 and 1. As f is concave and 0
// at both ends, golden sections approach its maximum, and lines through two points bound it.
func ellipsoidsMeet(r, o region) bool {
	d := make([]float64, len(r.centre))
	for i, v := range r.centre {
		d[i] = v - o.centre[i]
	}
	a, b := float64(r.radius*r.radius), float64(o.radius*o.radius)
	if a == 0 && b == 0 {
		return !slices.ContainsFunc(d, func(v float64) bool { return v != 0 })
	}
	sum := make([]float64, len(r.shape))
	at := func(s float64) point {
		u, v := a/s, b/(1-s)
		for i := range sum {
			sum[i] = float64(u*r.shape[i]) + float64(v*o.shape[i])
		}
		return point{s, inverseForm(sum, d)}
	}
	const golden = 0.6180339887498949
	lo, hi := point{0, 0}, point{1, 0}
	left, right := at(1-golden), at(golden)
	for range 40 {
		if left.f > 1 || right.f > 1 {
			return false
		}
		if lo.ahead(left, right.s) <= 1 && hi.ahead(right, left.s) <= 1 && right.ahead(left, lo.s) <= 1 && left.ahead(right, hi.s) <= 1 {
			return true
		}
		if left.f < right.f {
			lo, left = left, right
			right = at(lo.s + float64(golden*(hi.s-lo.s)))
		} else {
			hi, right = right, left
			left = at(hi.s - float64(golden*(hi.s-lo.s)))
		}
	}
	return true
}

type point struct{ s, f float64 }

// ahead returns the value at s of the line through two points. Beyond these points a concave
// curve is never above that line.
func (p point) ahead(q point, s float64) float64 {
	return q.f + float64((q.f-p.f)/(q.s-p.s)*(s-q.s))
}

// inverseForm returns dᵀa⁻¹d for a symmetric matrix a, or +Inf if a is not positive definite.
// It overwrites the lower triangle of a with a Cholesky factor.
func inverseForm(a, d []float64) float64 {
	n, sum := len(d), 0.0
	y := make([]float64, n)
	for i := range n {
		v := d[i]
		for j := range i + 1 {
			w := a[i*n+j]
			for k := range j {
				w -= float64(a[i*n+k] * a[j*n+k])
			}
			if j < i {
				w /= a[j*n+j]
				a[i*n+j] = w
				v -= float64(w * y[j])
				continue
			}
			if !(w > 0) {
				return math.Inf(1)
			}
			a[i*n+i] = math.Sqrt(w)
		}
		y[i] = v / a[i*n+i]
		sum += float64(y[i] * y[i])
	}
	return sum
}
