package glasso

import (
	"math"

	"github.com/collabdict/collabdict/internal/kernels/blas"
)

// descent finds the Newton direction D, the minimum over the free coordinates of the model
//
//	Tr((s−W)D) + ½ Tr(WDWD) + λ Σ_{i≠j}|x_ij + d_ij|.
//
// Coordinate descent finds out which x + d are zero. Between strongly correlated variables it
// hardly moves the others, so conjugate gradients do that. Vectors are over the free
// coordinates; all fields are scratch memory that is kept between steps.
type descent struct {
	free
	x, slopes []float64 // X and s − W
	d         []float64
	dw        []float64 // the matrix DW
	g         []float64 // gradient of the model's smooth part, s − W + WDW
	r, xrx    []float64 // smallest subgradient R, and XRX
	value     float64   // value of the model minus its value at D = 0, when g was filled
	row       []float64 // row i of WD
	changed   bool      // the last sweep made a coordinate 0, or other than 0
	cg        conjugate
}

const (
	maxRounds = 50
	// sweeps is the maximum number of sweeps of coordinate descent per round. A round also ends
	// with the first sweep in which all zeros stay and none is added.
	sweeps = 4
	// slow is the factor on the energy above which sweeps alone progress too slowly.
	slow = 0.6
	// quickSteps is the number of the first Newton steps that take some sweeps each, whatever energy
	// is left, if the objective may end below its maximum.
	quickSteps = 4
	// negligible is an energy below the rounding of the objective.
	negligible = 1e-28
)

// direction fills d. It returns the directional derivative Tr((s−W)D) + λ(‖x+D‖₁ − ‖x‖₁), which
// is negative unless D = 0, and whether D is close enough to the minimum for fast convergence.
// D is close enough if the remaining energy is a small share of the gain: the smaller the gain,
// the smaller the share, but no smaller than the target residual needs. The first steps of a block
// that may end below its maximum need no such D (Hsieh et al. 2014, section 3.4).
func (c *descent) direction(b *block) (slope float64, settled bool) {
	c.start(b)
	if b.enough > 0 && b.steps <= quickSteps {
		for range 1 + b.steps/2 {
			if c.sweep(b); !c.changed {
				break
			}
		}
		return c.slope(b), true
	}
	before := math.Inf(1)
	for faces, round := 4, 0; round < maxRounds && c.cg.spent <= b.budget(); round++ {
		for range sweeps {
			if c.sweep(b); !c.changed {
				break
			}
		}
		c.gradient(b)
		energy, enough := c.left(b)
		if energy <= enough {
			return c.slope(b), true
		}
		if energy > before*slow || !c.changed {
			c.cg.improve(b, c, enough/2, faces)
			faces *= 2
			if energy, enough = c.left(b); energy <= enough {
				return c.slope(b), true
			}
		}
		before = energy
	}
	return c.slope(b), false
}

// left returns the energy, and how much of it may remain.
func (c *descent) left(b *block) (energy, enough float64) {
	gain, last := math.Max(0, -c.value), b.target()/b.residual
	enough = gain * math.Max(math.Min(0.1, 2*gain), 0.01*last*last)
	if b.enough > 0 {
		enough = math.Max(0.1*gain, b.enough/2)
	}
	return c.energy(b), math.Max(enough, negligible)
}

func (c *descent) start(b *block) {
	n := c.size()
	for _, v := range []*[]float64{&c.x, &c.slopes, &c.d, &c.g, &c.r, &c.xrx} {
		*v = resize(*v, n)
	}
	c.dw, c.row = resize(c.dw, b.p*b.p), resize(c.row, b.p)
	c.gather(b.x, c.x)
	c.gather(b.s, c.slopes)
	c.gather(b.w, c.g)
	for k, w := range c.g {
		c.slopes[k] -= w
	}
	clear(c.d)
	clear(c.dw)
	c.value, c.cg.spent = 0, 0
}

// sweep minimises the model over one coordinate after the other. The products w_iᵀDw_j of a row
// of coordinates are the products of w_j with row i of WD, in which a change of d_ij changes
// two elements.
func (c *descent) sweep(b *block) {
	p := b.p
	c.changed = false
	for i := range p {
		wi := b.w[i*p:][:p]
		for l := range c.row {
			c.row[l] = c.dw[l*p+i]
		}
		for k := c.first[i]; k < c.first[i+1]; k++ {
			j := c.columns[k]
			moved := c.update(b, k, i, j)
			if moved == 0 {
				continue
			}
			c.row[i] += float64(moved * wi[j])
			if i != j {
				c.row[j] += float64(moved * wi[i])
			}
			c.add(moved, i, j, b.w, c.dw)
		}
	}
}

// update minimises the model over d_ij = d_ji and returns the change.
func (c *descent) update(b *block, k, i, j int) (moved float64) {
	wj := b.w[j*b.p:][:b.p]
	grad := c.slopes[k] + blas.Dot(c.row, wj)
	if i == j {
		moved = -grad / float64(wj[j]*wj[j])
		c.d[k] += moved
		return moved
	}
	wii := b.w[i*b.p+i]
	curvature := float64(wj[i]*wj[i]) + float64(wii*wj[j])
	// Compute the new x_ij + d_ij first, so that zeros are exact.
	y := c.x[k] + c.d[k]
	x := soft(y-grad/curvature, b.lambda/curvature)
	c.changed = c.changed || (x == 0) != (y == 0)
	d := x - c.x[k]
	moved = d - c.d[k]
	c.d[k] = d
	return moved
}

// gradient fills g and value from d and dw.
func (c *descent) gradient(b *block) {
	c.against(c.dw, b.w, c.g)
	for k, g := range c.g {
		c.r[k] = c.slopes[k] + g/2
		c.g[k] += c.slopes[k]
	}
	c.value = c.along(b, c.r)
}

// slope returns the directional derivative along D.
func (c *descent) slope(b *block) float64 { return c.along(b, c.slopes) }

// along returns Tr(GD) + λ(‖x+D‖₁ − ‖x‖₁), without the diagonal in the norms.
func (c *descent) along(b *block, g []float64) float64 {
	norm := 0.0
	for i := range c.p {
		for k := c.first[i] + 1; k < c.first[i+1]; k++ {
			norm += math.Abs(c.x[k]+c.d[k]) - math.Abs(c.x[k])
		}
	}
	return c.inner(g, c.d) + float64(2*b.lambda*norm)
}

// energy returns Tr(XRXR), where R is the smallest subgradient of the model. The model's
// Hessian W⊗W is the inverse of X⊗X, so half of the energy bounds the distance between the
// model and its minimum, in any units of the variables.
func (c *descent) energy(b *block) float64 {
	for i := range c.p {
		for k := c.first[i]; k < c.first[i+1]; k++ {
			g, y := c.g[k], c.x[k]+c.d[k]
			switch {
			case c.columns[k] == i:
			case y == 0:
				g = soft(g, b.lambda)
			default:
				g += math.Copysign(b.lambda, y)
			}
			c.r[k] = g
		}
	}
	c.congruence(b.x, c.r, c.xrx)
	return c.inner(c.r, c.xrx)
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
