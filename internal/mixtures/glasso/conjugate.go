package glasso

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
)

// conjugate minimises the model of descent by conjugate gradients over the coordinates with x +
// d ≠ 0, without changing their signs. The model's Hessian is W⊗W, so X⊗X restricted to these
// coordinates is the preconditioner, which is exact if none is 0.
type conjugate struct {
	e, r, z, q, h []float64
	held          []bool // coordinates that stay
	spent         int    // iterations
}

const maxConjugate = 200

// improve lowers the model at c.d, whose gradient is c.g. It minimises with fixed signs, drops
// the coordinates that become 0, and repeats until none does, at most faces times. enough is
// the energy that may remain.
func (k *conjugate) improve(b *block, c *descent, enough float64, faces int) {
	for range faces {
		k.start(b, c)
		k.solve(b, c, enough)
		if zeros := k.move(b, c); !zeros || k.spent > b.budget() {
			return
		}
	}
}

func (k *conjugate) start(b *block, c *descent) {
	n := c.size()
	if len(k.held) != n {
		k.held = make([]bool, n)
		for _, v := range []*[]float64{&k.e, &k.r, &k.z, &k.q, &k.h} {
			*v = resize(*v, n)
		}
	}
	clear(k.e)
	c.each(func(at, i, j int) {
		x := c.x[at] + c.d[at]
		k.held[at] = i != j && x == 0
		k.r[at] = -c.g[at]
		if i != j && x != 0 {
			k.r[at] -= math.Copysign(b.lambda, x)
		}
	})
	k.project(k.r)
}

func (k *conjugate) project(v []float64) {
	for i, held := range k.held {
		if held {
			v[i] = 0
		}
	}
}

// sandwich sets out to a·v·a on the coordinates of the set.
func (k *conjugate) sandwich(c *descent, a, v, out []float64) {
	c.congruence(a, v, out)
	k.project(out)
}

// solve sets e to the solution of W e W = r on the free coordinates, until the energy Tr(XrXr)
// of the residual is at most enough.
func (k *conjugate) solve(b *block, c *descent, enough float64) {
	k.sandwich(c, b.x, k.r, k.z)
	copy(k.q, k.z)
	rz := c.inner(k.r, k.z)
	for range maxConjugate {
		if rz <= enough || !(rz > 0) {
			return
		}
		k.spent++
		k.sandwich(c, b.w, k.q, k.h)
		curvature := c.inner(k.q, k.h)
		if !(curvature > 0) {
			return
		}
		step := rz / curvature
		kernels.AddScaled(k.e, step, k.q)
		kernels.AddScaled(k.r, -step, k.h)
		k.sandwich(c, b.x, k.r, k.z)
		next := c.inner(k.r, k.z)
		floats.Scale(next/rz, k.q)
		floats.Add(k.q, k.z)
		rz = next
	}
}

// move adds a share of e to d; coordinates that would change sign become 0. It reports whether
// any did. If none would, the share is all of e. Otherwise it is the first of 1, ½, ¼, ... that
// lowers the model, but at least the step at which the first coordinate becomes 0. Up to that
// step, the model is certain to fall.
func (k *conjugate) move(b *block, c *descent) (zeros bool) {
	shortest, first := k.firstZero(c)
	if first < 0 {
		k.step(b, c, 1, first)
		return false
	}
	before := c.value
	copy(k.z, c.d)
	for step := 1.0; step > shortest; step /= 2 {
		copy(c.d, k.z)
		if k.step(b, c, step, -1); c.value < before {
			return true
		}
	}
	copy(c.d, k.z)
	k.step(b, c, shortest, first)
	return true
}

// firstZero returns the shortest step at which some x + d becomes 0, and its coordinate.
func (k *conjugate) firstZero(c *descent) (step float64, first int) {
	step, first = 1, -1
	c.each(func(at, i, j int) {
		x := c.x[at] + c.d[at]
		if e := k.e[at]; i != j && x*e < 0 && -x/e < step {
			step, first = -x/e, at
		}
	})
	return step, first
}

// step adds step·e to d; coordinate first and those that change sign become 0.
func (k *conjugate) step(b *block, c *descent, step float64, first int) {
	c.each(func(at, i, j int) {
		d := c.d[at] + float64(step*k.e[at])
		if i != j && (at == first || (c.x[at]+c.d[at])*(c.x[at]+d) < 0) {
			d = -c.x[at]
		}
		c.d[at] = d
	})
	c.times(c.d, b.w, c.dw)
	c.gradient(b)
}

func multiply(p int, a, b, out []float64) {
	kernels.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, p, p, p, 1, a, p, b, p, 0, out, p)
}
