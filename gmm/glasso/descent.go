package glasso

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// descent finds the Newton direction D: the minimum of the model
//
//	Tr((s−W)D) + ½ Tr(WDWD) + λ Σ_{i≠j}|x_ij + d_ij|
//
// over the free coordinates, those with x_ij + d_ij ≠ 0 or a gradient beyond λ.
// Coordinate descent settles which x + d are zero; where variables are strongly
// correlated it hardly moves the others, which conjugate gradients then do. The
// fields are scratch that is kept between steps.
type descent struct {
	d  []float64 // D, both triangles
	wd []float64 // W D
	g  []float64 // s − W + WDW, the gradient of the model's smooth part
	r  []float64 // the smallest subgradient
	xr []float64 // X r
	cg conjugate
}

const (
	maxRounds = 50
	sweeps    = 4 // of coordinate descent in a round
	// slow is the factor on the energy above which a round of sweeps does not get on
	// by itself.
	slow = 0.6
	// negligible is an energy below the objective's rounding.
	negligible = 1e-28
)

// direction fills d and returns the directional derivative Tr((s−W)D) +
// λ(‖x+D‖₁ − ‖x‖₁), negative unless D = 0, and whether D is close enough to the
// minimum for fast convergence: what it leaves of the model is a share of what it
// gains, the smaller the less there is to gain.
func (c *descent) direction(b *block) (slope float64, settled bool) {
	n := b.p * b.p
	if len(c.d) != n {
		c.d, c.wd, c.g, c.r = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		c.xr = make([]float64, n)
	}
	clear(c.d)
	clear(c.wd)
	floats.SubTo(c.g, b.s, b.w)
	model, before := b.lambda*offNorm(b.x, b.p), math.Inf(1)
	c.cg.spent = 0
	for faces, round := 4, 0; round < maxRounds && c.cg.spent <= b.budget(); round++ {
		free := c.free(b)
		for range sweeps {
			for _, f := range free {
				c.update(b, f[0], f[1])
			}
		}
		c.gradient(b)
		energy := c.energy(b)
		gain := math.Max(0, model-c.model(b))
		enough := math.Min(0.02, 2*gain) * gain
		if energy <= enough || energy <= negligible {
			return c.slope(b), true
		}
		if energy > before*slow {
			c.cg.improve(b, c, enough/10, faces)
			faces *= 2
		}
		before = energy
	}
	return c.slope(b), false
}

func (c *descent) slope(b *block) (slope float64) {
	for i, d := range c.d {
		if d == 0 {
			continue
		}
		slope += float64((b.s[i] - b.w[i]) * d)
		if i%(b.p+1) != 0 {
			slope += b.lambda * (math.Abs(b.x[i]+d) - math.Abs(b.x[i]))
		}
	}
	return slope
}

// model is the model's value at d.
func (c *descent) model(b *block) float64 {
	value := 0.0
	for i := range b.p {
		for j := range b.p {
			at := i*b.p + j
			value += float64((b.s[at]-b.w[at])*c.d[at]) + float64(c.wd[at]*c.wd[j*b.p+i])/2
			if i != j {
				value += b.lambda * math.Abs(b.x[at]+c.d[at])
			}
		}
	}
	return value
}

// gradient fills g.
func (c *descent) gradient(b *block) {
	multiply(b.p, c.wd, b.w, c.g)
	for i := range c.g {
		c.g[i] += b.s[i] - b.w[i]
	}
}

// energy is Tr(XRXR) with R the smallest subgradient of the model. The model's
// Hessian W⊗W is the inverse of X⊗X, so half of it bounds how far the model is
// above its minimum, in whatever units the variables are.
func (c *descent) energy(b *block) (sum float64) {
	p := b.p
	for at, g := range c.g {
		y := b.x[at] + c.d[at]
		switch {
		case at%(p+1) == 0:
		case y == 0:
			g = soft(g, b.lambda)
		default:
			g += math.Copysign(b.lambda, y)
		}
		c.r[at] = g
	}
	multiply(p, b.x, c.r, c.xr)
	for i := range p {
		for j := range p {
			sum += float64(c.xr[i*p+j] * c.xr[j*p+i])
		}
	}
	return sum
}

// free lists the coordinates (i, j), i ≤ j, that are not 0 or would not stay so.
func (c *descent) free(b *block) [][2]int {
	var free [][2]int
	for i := range b.p {
		for j := i; j < b.p; j++ {
			at := i*b.p + j
			if i == j || b.x[at]+c.d[at] != 0 || math.Abs(c.g[at]) > b.lambda {
				free = append(free, [2]int{i, j})
			}
		}
	}
	return free
}

// update minimises the model over d_ij = d_ji and keeps wd up to date.
func (c *descent) update(b *block, i, j int) {
	p := b.p
	at := i*p + j
	wi, wj := b.w[i*p:i*p+p], b.w[j*p:j*p+p]
	grad := b.s[at] - b.w[at] + floats.Dot(wi, c.wd[j*p:j*p+p])
	d := c.d[at]
	if i == j {
		d -= grad / (wi[i] * wi[i])
	} else {
		curvature := float64(wi[j]*wi[j]) + float64(wi[i]*wj[j])
		// The new x_ij + d_ij is computed first, so that a zero is exact.
		x := soft(b.x[at]+d-grad/curvature, b.lambda/curvature)
		d = x - b.x[at]
	}
	moved := d - c.d[at]
	if moved == 0 {
		return
	}
	c.d[at], c.d[j*p+i] = d, d
	axpyColumn(moved, wj, c.wd, i, p)
	if i != j {
		axpyColumn(moved, wi, c.wd, j, p)
	}
}

// axpyColumn adds a·x to column j of y.
func axpyColumn(a float64, x, y []float64, j, p int) {
	blas64.Axpy(a, blas64.Vector{N: p, Inc: 1, Data: x}, blas64.Vector{N: p, Inc: p, Data: y[j:]})
}

func soft(x, by float64) float64 {
	switch {
	case x > by:
		return x - by
	case x < -by:
		return x + by
	}
	return 0
}
