package glasso

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// tolerance is the residual aimed at, relative to the largest |s_ij|.
	tolerance = 1e-9
	// rounding times the condition number of X is the relative error expected
	// of the inverse W, below which the residual cannot be pushed.
	rounding = 0x1p-50
	// worst is the relative residual beyond which rounding is no excuse.
	worst    = 1e-6
	maxSteps = 200
	// Armijo's rule: accept a step that gains at least this share of what the
	// quadratic model's slope promises, halve it otherwise.
	armijo     = 1e-3
	maxHalving = 60
	// maxCond is the condition number above which a matrix counts as singular.
	maxCond = 1e14
)

// block is one connected component: min −ln|X| + Tr(sX) + λ Σ_{i≠j}|x_ij|.
// Matrices are p by p, row-major, both triangles filled.
//
// Invariant: x is positive definite, w is its inverse and logDet its ln|x|.
type block struct {
	p      int
	s      []float64
	lambda float64
	scale  float64 // the largest |s_ij|

	x, w         []float64
	logDet, cond float64
	value        float64 // the objective at x
	steps        int

	descent descent
}

// newBlock copies the given variables out of s. It starts from the solution
// without edges or from start's submatrix, times the best factor, whichever is
// better: from a start far too large, Newton's model leads far astray.
func newBlock(s *mat.SymDense, lambda float64, members []int, start *mat.SymDense) *block {
	p := len(members)
	b := &block{p: p, lambda: lambda, s: gather(s, members), w: make([]float64, p*p)}
	for _, v := range b.s {
		b.scale = math.Max(b.scale, math.Abs(v))
	}
	plain := sumLog(diagonal(b.s, p)) + float64(p) // the objective without edges
	if start != nil && p > 1 && b.factorise(gather(start, members)) {
		b.rescale()
		if b.value < plain {
			return b
		}
	}
	x := make([]float64, p*p)
	for i := range p {
		x[i*p+i] = 1 / b.s[i*p+i]
	}
	if !b.factorise(x) {
		// A diagonal spread over more than maxCond is still exactly solvable.
		b.accept(x, mat.NewDiagDense(p, diagonal(b.s, p)), -sumLog(diagonal(b.s, p)), 1)
	}
	return b
}

// rescale multiplies x by the factor that minimises the objective, at which
// Tr(sX) + λ‖X‖₁ = p.
func (b *block) rescale() {
	p := float64(b.p)
	linear := floats.Dot(b.s, b.x) + b.lambda*offNorm(b.x, b.p)
	factor := p / linear
	if !(linear > 0) || math.IsInf(factor, 1) {
		return
	}
	floats.Scale(factor, b.x)
	floats.Scale(1/factor, b.w)
	b.logDet += p * math.Log(factor)
	b.value = p - b.logDet
}

// gather returns the rows and columns of a in members.
func gather(a *mat.SymDense, members []int) []float64 {
	p := len(members)
	out := make([]float64, p*p)
	for i, gi := range members {
		for j, gj := range members {
			out[i*p+j] = a.At(gi, gj)
		}
	}
	return out
}

// solve takes Newton steps, at most the given number, until the optimality
// conditions hold. A block too ill-conditioned for coordinate descent to find a
// direction goes to the interior point method, once.
func (b *block) solve(steps int) error {
	target, before, interior := tolerance*b.scale, math.Inf(1), b.p > maxInterior
	for {
		r := b.residual()
		floor := math.Min(rounding*b.cond, worst) * b.scale
		if r <= target || r <= floor && r > before/2 {
			return nil
		}
		if b.steps >= steps {
			return &StalledError{Residual: r, Want: target, Steps: b.steps}
		}
		b.steps++
		before = r
		slope, settled := b.descent.direction(b)
		switch {
		case !settled && !interior:
			interior = true
			b.interiorPoint()
		case b.search(slope):
		case r <= floor:
			return nil
		case interior:
			return &StalledError{Residual: r, Want: target, Steps: b.steps}
		default:
			interior = true
			b.interiorPoint()
		}
	}
}

// budget is the number of conjugate gradient iterations on one direction that take
// about as long as the whole interior point method.
func (b *block) budget() int { return b.p * b.p * b.p / 32 }

// search moves x along the direction found, by the longest step 1, ½, ¼, ...
// that stays positive definite and meets Armijo's rule.
func (b *block) search(slope float64) bool {
	before, size := b.value, b.magnitude()
	next := make([]float64, len(b.x))
	old := *b
	step := 1.0
	for range maxHalving {
		for i, x := range old.x {
			next[i] = x + float64(step*b.descent.d[i])
		}
		if b.factorise(next) {
			// Near the solution the gain is below the objective's rounding.
			if b.value <= before+armijo*step*slope+0x1p-51*size {
				return !same(old.x, b.x)
			}
			next = make([]float64, len(b.x))
		}
		step /= 2
	}
	b.accept(old.x, mat.NewDense(b.p, b.p, old.w), old.logDet, old.cond)
	return false
}

func same(x, y []float64) bool {
	for i, v := range x {
		if v != y[i] {
			return false
		}
	}
	return true
}

// factorise makes x the current point if it is numerically positive definite.
func (b *block) factorise(x []float64) bool {
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(b.p, x)) || c.Cond() > maxCond {
		return false
	}
	var w mat.SymDense
	if c.InverseTo(&w) != nil {
		return false
	}
	b.accept(x, &w, c.LogDet(), c.Cond())
	return true
}

func (b *block) accept(x []float64, w mat.Matrix, logDet, cond float64) {
	out := make([]float64, len(x))
	for i := range b.p {
		for j := range b.p {
			out[i*b.p+j] = w.At(i, j)
		}
	}
	b.x, b.w, b.logDet, b.cond = x, out, logDet, cond
	b.value = -logDet + floats.Dot(b.s, x) + b.lambda*offNorm(x, b.p)
}

// magnitude is the sum of the magnitudes of what the objective's terms add up:
// a change of X by its own rounding changes them by about that times Σ|w||x|.
func (b *block) magnitude() (sum float64) {
	for i, x := range b.x {
		sum += math.Abs(x) * (math.Abs(b.s[i]) + math.Abs(b.w[i]) + b.lambda)
	}
	return sum + math.Abs(b.logDet)
}
