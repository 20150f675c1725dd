package glasso

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/portable"
)

const (
	// tolerance is the target residual, relative to the largest |s_ij|.
	tolerance = 1e-9
	// rounding times the condition number of X is the expected relative error of the inverse W,
	// below which the residual cannot fall.
	rounding = 0x1p-50
	// worst is the relative residual that rounding can explain at most.
	worst = 1e-6
	// enoughGap is the largest duality gap of a solution, in nats per variable.
	enoughGap = 1e-5
	// negligibleShare is the share of the allowed gap within which a start needs no step, so that EM
	// ends when only such steps are left.
	negligibleShare = 0.01
	maxSteps        = 200
	// armijo is the share of the gain promised by the quadratic model's slope that a step must
	// achieve; otherwise it is halved (Armijo's rule).
	armijo     = 1e-3
	maxHalving = 60
	// maxCond is the condition number above which a matrix counts as singular.
	maxCond = 1e14
)

// block is one connected component: min −ln|X| + Tr(sX) + λ Σ_{i≠j}|x_ij|. Matrices are p by p,
// row-major, with both triangles filled.
type block struct {
	p      int
	s      []float64
	lambda float64
	scale  float64 // the largest |s_ij|
	each   float64 // Problem.Gap
	point
	next          point // being tried
	residual, gap float64
	enough        float64 // allowed gap
	steps, spent  int     // numbers of Newton steps, and of iterations of conjugate gradients

	descent descent
}

// idle has blocks that no problem uses, for their memory: EM solves many small problems.
var idle = sync.Pool{New: func() any { return new(block) }}

// mostKept is the size of the largest block whose memory is kept. Solving a larger one takes far longer than
// allocating it.
const mostKept = 64

// end ends the use of a block.
func (b *block) end() {
	if b.p <= mostKept {
		idle.Put(b)
	}
}

// newBlock copies the given variables out of s. It starts from the best of these points: the solution
// without edges; start's submatrix times the best factor, because Newton's model would lead far astray
// from a start that is much too large; and, if a gap is allowed, the inverse of s.
func newBlock(s *mat.SymDense, p Problem, members []int, start *mat.SymDense) *block {
	b := idle.Get().(*block)
	*b = block{
		p: len(members), lambda: p.Penalty, each: p.Gap, s: gather(b.s, s, members), gap: math.Inf(1),
		point: b.point, next: b.next, descent: b.descent,
	}
	b.point.resize(b.p)
	b.next.resize(b.p)
	b.start(start, members)
	if b.each > 0 && b.p > 1 {
		b.fromInverse()
	}
	return b
}

// start moves b to the better one of the first two points.
func (b *block) start(start *mat.SymDense, members []int) {
	p := b.p
	for _, v := range b.s {
		b.scale = larger(b.scale, math.Abs(v))
	}
	plain := float64(p) // objective without edges
	for i := range p {
		plain += portable.Log(b.s[i*p+i])
	}
	if start != nil && p > 1 {
		b.x = gather(b.x, start, members)
		if b.evaluate(&b.point) && b.invert(&b.point) {
			b.rescale()
			if b.value < plain {
				return
			}
		}
	}
	b.withoutEdges(plain)
}

// withoutEdges sets x to the solution without edges, whose objective is value. It is exact even
// if the diagonal spreads over more than maxCond.
func (b *block) withoutEdges(value float64) {
	clear(b.x)
	clear(b.w)
	least, most := math.Inf(1), 0.0
	for i := range b.p {
		at := i * (b.p + 1)
		b.x[at], b.w[at] = 1/b.s[at], b.s[at]
		least, most = math.Min(least, b.s[at]), math.Max(most, b.s[at])
	}
	b.value, b.logDet, b.cond = value, float64(b.p)-value, most/least
}

// fromInverse moves b to the inverse of s, times the best factor, if that is better. With a weak
// penalty, this point is near the solution.
func (b *block) fromInverse() {
	q := &b.next
	copy(q.x, b.s)
	if !b.evaluate(q) || !b.invert(q) {
		return
	}
	q.x, q.w, q.logDet = q.w, q.x, -q.logDet
	q.value = float64(b.p) - q.logDet + float64(b.lambda*offNorm(q.x, b.p))
	b.point, b.next = b.next, b.point
	if b.rescale(); b.value >= b.next.value {
		b.point, b.next = b.next, b.point
	}
}

// rescale multiplies x by the factor that minimises the objective; then Tr(sX) + λ‖X‖₁ = p.
func (b *block) rescale() {
	p := float64(b.p)
	linear := b.value + b.logDet
	factor := p / linear
	if !(linear > 0) || math.IsInf(factor, 1) {
		return
	}
	floats.Scale(factor, b.x)
	floats.Scale(1/factor, b.w)
	b.logDet += float64(p * portable.Log(factor))
	b.value = p - b.logDet
}

// gather returns the submatrix of the members, in the memory of out if that is enough.
func gather(out []float64, a *mat.SymDense, members []int) []float64 {
	p := len(members)
	out = resize(out, p*p)
	for i, gi := range members {
		for j, gj := range members {
			out[i*p+j] = a.At(gi, gj)
		}
	}
	return out
}

// solve takes up to the given number of Newton steps until the optimality conditions hold, and
// reports whether they do. If the penalty is no larger than the target residual, the conditions
// mean little, so the gap must be small, too.
func (b *block) solve(steps int) bool {
	solved, interior := b.newton(steps, b.p > maxInterior)
	if solved && !interior && !b.isNear() {
		b.interiorPoint()
		solved, _ = b.newton(steps, true)
	}
	return solved && b.isNear()
}

// isNear reports whether the gap is small enough for a solution.
func (b *block) isNear() bool { return b.gap <= math.Max(enoughGap*float64(b.p), b.enough) }

// newton is solve without the check of the gap, which it sets. A block too ill-conditioned for
// coordinate descent goes to the interior point method, unless interior reports that it already
// has, or is too large.
func (b *block) newton(steps int, interior bool) (solved, been bool) {
	defer func() {
		if b.enough == 0 || math.IsInf(b.gap, 1) {
			b.gap = b.descent.gap(b)
		}
	}()
	before := math.Inf(1)
	for {
		b.residual = b.descent.collect(b)
		r := b.residual
		floor := math.Min(rounding*b.cond, worst) * b.scale
		b.enough = b.each * float64(b.descent.size())
		near := b.gap <= b.enough
		if r <= b.target() || r <= floor && r > before/2 || near {
			return true, interior
		}
		if b.steps >= steps || b.spent > b.patience() {
			return false, interior
		}
		b.steps++
		before = r
		slope, settled := b.descent.direction(b)
		b.spent += b.descent.cg.spent
		least := math.Inf(-1)
		if b.enough > 0 {
			least = b.descent.least(b)
			if b.gap = b.value - least; b.gap <= negligibleShare*b.enough {
				b.steps-- // not taken
				return true, interior
			}
		}
		switch {
		case !settled && !interior && b.enough == 0:
			interior = true
			b.interiorPoint()
		case b.search(slope):
			b.gap = b.value - least
		case r <= floor || b.gap <= b.enough:
			return true, interior
		case interior:
			return false, interior
		default:
			interior = true
			b.interiorPoint()
		}
	}
}

func (b *block) target() float64 { return tolerance * b.scale }

// stalled returns an error with the distance between b and its solution.
func (b *block) stalled() *StalledError {
	return &StalledError{Residual: b.residual, Want: b.target(), Gap: b.gap, Steps: b.steps}
}

// budget returns the number of conjugate gradient iterations on one direction that take about as long
// as the whole interior point method. Where a gap is allowed, it is smaller, because a next direction
// gains more than further iterations.
func (b *block) budget() int {
	if b.enough > 0 {
		return maxConjugate
	}
	p := min(b.p, maxInterior)
	return p * p * p / 32
}

// patience returns the maximum number of conjugate gradient iterations for the whole block:
// with dense matrices about 4·10^11 multiplications, but at least 1000 iterations.
func (b *block) patience() int { return max(1000, int(1e11/float64(b.p)/float64(b.p)/float64(b.p))) }

// search moves x along the direction by the longest step among 1, ½, ¼, ... that keeps x
// positive definite and meets Armijo's rule.
func (b *block) search(slope float64) bool {
	c := &b.descent
	copy(b.next.x, b.x)
	// Near the solution the gain is below the objective's rounding.
	limit, step := b.value+0x1p-51*b.magnitude(), 1.0
	for range maxHalving {
		for k, x := range c.x {
			c.r[k] = x + float64(step*c.d[k])
		}
		c.scatter(c.r, b.next.x)
		if b.evaluate(&b.next) && b.next.value <= limit+float64(armijo*step*slope) && b.invert(&b.next) {
			b.point, b.next = b.next, b.point
			return !slices.Equal(c.r, c.x)
		}
		step /= 2
	}
	return false
}

// magnitude returns the sum of the absolute values of the objective's terms. A change of X by
// its own rounding changes the terms by about that rounding times Σ|w||x|.
func (b *block) magnitude() (sum float64) {
	c := &b.descent
	c.each(func(k, i, j int) {
		at := i*b.p + j
		v := math.Abs(c.x[k]) * (math.Abs(b.s[at]) + math.Abs(b.w[at]) + b.lambda)
		if i != j {
			v *= 2
		}
		sum += v
	})
	return sum + math.Abs(b.logDet)
}
