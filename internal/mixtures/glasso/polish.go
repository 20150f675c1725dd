package glasso

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// polish takes Newton steps on the coordinates other than 0, without changing their signs, as
// long as the residual falls. The dual solution determines X with an error proportional to
// cond²; these steps lower a residual whose error is proportional to cond only.
func (b *block) polish() {
	var at [][2]int
	for i := range b.p {
		for j := range i + 1 {
			if b.x[i*b.p+j] != 0 {
				at = append(at, [2]int{i, j})
			}
		}
	}
	b.residual = b.descent.collect(b)
	for {
		old, before := b.point, b.residual
		if !b.faceStep(at) {
			return
		}
		if b.residual = b.descent.collect(b); !(b.residual < before/2) {
			b.point = old
			return
		}
	}
}

// faceStep makes Newton's step on the given coordinates.
func (b *block) faceStep(at [][2]int) bool {
	n, p := len(at), b.p
	h, g := mat.NewSymDense(n, nil), make([]float64, n)
	// The unknown of a diagonal value is half its change, which makes h symmetric.
	for k, q := range at {
		i, j := q[0]*p, q[1]*p
		for l, r := range at[:k+1] {
			h.SetSym(l, k, float64(b.w[i+r[0]]*b.w[j+r[1]])+float64(b.w[i+r[1]]*b.w[j+r[0]]))
		}
		x, v := b.x[i+q[1]], b.w[i+q[1]]-b.s[i+q[1]]
		if q[0] != q[1] {
			v -= math.Copysign(b.lambda, x)
		}
		g[k] = v
	}
	c, ok := lapack.Factorise(h)
	if !ok {
		return false
	}
	c.Solve(g) // if h is nearly singular, the residual decides on the result
	next := slices.Clone(b.x)
	for k, q := range at {
		i, j := q[0], q[1]
		next[i*p+j] += g[k]
		if i == j {
			next[i*p+i] += g[k]
		}
		next[j*p+i] = next[i*p+j]
		if i != j && next[i*p+j]*b.x[i*p+j] <= 0 {
			return false
		}
	}
	q := point{x: next, w: make([]float64, p*p)}
	if !b.evaluate(&q) || !b.invert(&q) {
		return false
	}
	b.point = q
	return true
}
