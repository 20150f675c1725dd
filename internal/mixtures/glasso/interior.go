package glasso

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// interior solves the dual problem
//
//	max ln|W| over W = s + U with |u_ij| ≤ λ and u_ii = 0
//
// by a primal-dual interior point method with Mehrotra's choice of the barrier (Wright,
// Primal-Dual Interior-Point Methods, 1997, chapter 10). It takes some 20 steps, almost
// independent of the problem's condition, but each factorises a matrix of p(p−1)/2 rows.
//
// Invariant: w is positive definite, x is its inverse, and all rooms and forces are above 0.
type interior struct {
	b            *block
	pairs        [][2]int // i > j
	above, below side
	w, x         *mat.SymDense
	hessian      []float64 // upper triangle, later overwritten by its factor
}

// side is one of the two bounds on u for all pairs: the room up to it, and its force, the
// multiplier. The room is stored separately because it becomes far smaller than the rounding of
// λ. The solution has x_ij = above.force − below.force.
type side struct {
	sign                float64 // sign of the bound
	room, force, change []float64
}

const (
	// maxInterior is the size of the largest block for which a matrix of p(p−1)/2 rows is
	// factorised.
	maxInterior   = 96
	interiorSteps = 100
	// toBoundary is the share of the way to the boundary that a step takes.
	toBoundary = 0.99
	// parted is the mean of room times force at which each pair clearly has either a room or a
	// force.
	parted = 1e-22
	// maxInteriorCond is the condition number of W above which its inverse is meaningless.
	maxInteriorCond = 1e16
)

// interiorPoint moves b to the solution of the dual problem, if that is better.
func (b *block) interiorPoint() {
	v := &interior{b: b, w: mat.NewSymDense(b.p, slices.Clone(b.s))}
	if !v.invert() {
		return
	}
	for i := range b.p {
		for j := range i {
			v.pairs = append(v.pairs, [2]int{i, j})
		}
	}
	v.above, v.below = v.side(1), v.side(-1)
	for range interiorSteps {
		if v.gap() <= parted || !v.step() {
			break
		}
	}
	next := point{x: v.solution(), w: make([]float64, b.p*b.p)}
	if b.evaluate(&next) && next.value <= b.value && b.invert(&next) {
		b.point = next
	}
	b.polish()
}

// side returns a bound at U = 0.
func (v *interior) side(sign float64) side {
	n := len(v.pairs)
	d := side{sign: sign, room: make([]float64, n), force: make([]float64, n), change: make([]float64, n)}
	typical := 0.0
	for _, q := range v.pairs {
		typical += math.Abs(v.x.At(q[0], q[1])) / float64(n)
	}
	for k, q := range v.pairs {
		d.room[k] = v.b.lambda
		d.force[k] = typical + math.Max(sign*v.x.At(q[0], q[1]), 0)
	}
	return d
}

// invert sets x to the inverse of w. It reports whether w is positive definite.
func (v *interior) invert() bool {
	c, ok := lapack.Factorise(v.w)
	if !ok {
		return false
	}
	x, p := c.Inverse(), v.b.p
	if norm1(v.w.RawSymmetric().Data, p)*norm1(x.RawSymmetric().Data, p) > maxInteriorCond {
		return false
	}
	v.x = x
	return true
}

// gap returns the mean of room times force.
func (v *interior) gap() (sum float64) {
	for k := range v.pairs {
		sum += float64(v.above.room[k]*v.above.force[k]) + float64(v.below.room[k]*v.below.force[k])
	}
	return sum / float64(2*len(v.pairs))
}

// step predicts the length of a step without barrier, sets the barrier accordingly and takes
// the step.
func (v *interior) step() bool {
	if !v.factorise() {
		return false
	}
	gap := v.gap()
	du := v.direction(0)
	left := gap * (1 - v.longest(du)) * (1 - v.longestForce())
	share := left / gap
	du = v.direction(gap * math.Max(float64(share*float64(share*share)), 1e-6))
	return v.move(du)
}

// factorise prepares direction: X⊗X on the pairs, plus the curvature of the bounds.
func (v *interior) factorise() bool {
	n, x, p := len(v.pairs), v.x.RawSymmetric().Data, v.b.p
	v.hessian = resize(v.hessian, n*n)
	for k, q := range v.pairs {
		a, b := x[q[0]*p:][:p], x[q[1]*p:][:p]
		row := v.hessian[k*n:][:n]
		for l := k; l < n; l++ {
			i, j := v.pairs[l][0], v.pairs[l][1]
			row[l] = float64(a[i]*b[j]) + float64(a[j]*b[i])
		}
		row[k] += v.above.force[k]/v.above.room[k] + v.below.force[k]/v.below.room[k]
	}
	return lapack.Implementation{}.Dpotrf(blas.Upper, n, v.hessian, n)
}

// direction returns Newton's direction of U for W⁻¹ = above.force − below.force and room·force
// = barrier, and sets the changes of force.
func (v *interior) direction(barrier float64) []float64 {
	n := len(v.pairs)
	du := make([]float64, n)
	for k, q := range v.pairs {
		du[k] = v.x.At(q[0], q[1]) - barrier/v.above.room[k] + barrier/v.below.room[k]
	}
	// A nearly singular matrix still gives a direction of ascent.
	lapack.Implementation{}.Dpotrs(blas.Upper, n, 1, v.hessian, n, du, 1)
	for _, d := range []*side{&v.above, &v.below} {
		for k, f := range d.force {
			d.change[k] = (barrier+float64(d.sign*f*du[k]))/d.room[k] - f
		}
	}
	return du
}

// longest returns the longest step along du, at most 1, that keeps all rooms above 0.
func (v *interior) longest(du []float64) float64 {
	step := 1.0
	for _, d := range []*side{&v.above, &v.below} {
		for k, r := range d.room {
			if d.sign*du[k] > 0 {
				step = math.Min(step, r/math.Abs(du[k]))
			}
		}
	}
	return step
}

// longestForce returns the longest step, at most 1, that keeps all forces above 0.
func (v *interior) longestForce() float64 {
	step := 1.0
	for _, d := range []*side{&v.above, &v.below} {
		for k, f := range d.force {
			if d.change[k] < 0 {
				step = math.Min(step, -f/d.change[k])
			}
		}
	}
	return step
}

// move steps along du, as far as W stays positive definite.
func (v *interior) move(du []float64) bool {
	step, force := toBoundary*v.longest(du), toBoundary*v.longestForce()
	above, below := slices.Clone(v.above.room), slices.Clone(v.below.room)
	for range maxHalving {
		for k, q := range v.pairs {
			v.above.room[k] = above[k] - float64(step*du[k])
			v.below.room[k] = below[k] + float64(step*du[k])
			u := v.b.lambda - v.above.room[k]
			if u < 0 {
				u = v.below.room[k] - v.b.lambda
			}
			v.w.SetSym(q[0], q[1], v.b.s[q[0]*v.b.p+q[1]]+u)
		}
		if v.invert() {
			for k := range v.pairs {
				v.above.force[k] += float64(force * v.above.change[k])
				v.below.force[k] += float64(force * v.below.change[k])
			}
			return true
		}
		step /= 2
	}
	return false
}

// solution returns x with 0 for the pairs that have more room than force.
func (v *interior) solution() []float64 {
	p := v.b.p
	out := make([]float64, p*p)
	for i := range p {
		out[i*p+i] = v.x.At(i, i)
	}
	for k, q := range v.pairs {
		i, j := q[0], q[1]
		w := v.w.At(i, j)
		curvature := float64(v.w.At(i, i)*v.w.At(j, j)) + float64(w*w)
		force := math.Max(v.above.force[k], v.below.force[k])
		if force*curvature > math.Min(v.above.room[k], v.below.room[k]) {
			out[i*p+j], out[j*p+i] = v.x.At(i, j), v.x.At(i, j)
		}
	}
	return out
}
