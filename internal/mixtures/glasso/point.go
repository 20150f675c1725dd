package glasso

import (
	"math"

	"gonum.org/v1/gonum/blas"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// point is X and values derived from it. Matrices are p by p, row-major, with both triangles
// filled.
//
// Invariant: except while a point is being tried, x is positive definite and w its inverse.
type point struct {
	x, w         []float64
	logDet, cond float64 // ln|X|, and ‖X‖₁‖W‖₁
	value        float64 // the objective
}

// resize makes room for p variables, with arbitrary values.
func (q *point) resize(p int) { q.x, q.w = resize(q.x, p*p), resize(q.w, p*p) }

// evaluate computes logDet and value from x and reports whether x is positive definite. It
// leaves the factor in w, for invert.
func (b *block) evaluate(q *point) bool {
	copy(q.w, q.x)
	if !(lapack.Implementation{}).Dpotrf(blas.Upper, b.p, q.w, b.p) {
		return false
	}
	q.logDet = lapack.LogDet(q.w, b.p)
	q.value = -q.logDet + kernels.Dot(b.s, q.x) + float64(b.lambda*offNorm(q.x, b.p))
	return !math.IsNaN(q.value) && !math.IsInf(q.value, 0)
}

// invert computes w from the factor that evaluate left there, and cond. It reports whether x is
// numerically positive definite.
func (b *block) invert(q *point) bool {
	if !(lapack.Implementation{}).Dpotri(blas.Upper, b.p, q.w, b.p) {
		return false
	}
	mirror(q.w, b.p)
	q.cond = norm1(q.x, b.p) * norm1(q.w, b.p)
	return q.cond <= maxCond
}

// mirror copies the upper triangle of a to the lower one, in tiles that fit in the cache.
func mirror(a []float64, p int) {
	const tile = 16
	for i0 := 0; i0 < p; i0 += tile {
		for j0 := i0; j0 < p; j0 += tile {
			for i := i0; i < min(i0+tile, p); i++ {
				row := a[i*p:][:p]
				for j := max(j0, i+1); j < min(j0+tile, p); j++ {
					a[j*p+i] = row[j]
				}
			}
		}
	}
}

// norm1 returns the largest row sum of absolute values.
func norm1(a []float64, p int) (largest float64) {
	for i := range p {
		largest = math.Max(largest, sumAbs(a[i*p:][:p]))
	}
	return largest
}

// offNorm is Σ_{i≠j}|x_ij|.
func offNorm(x []float64, p int) (sum float64) {
	for i := range p {
		sum += sumAbs(x[i*p:][:p]) - math.Abs(x[i*p+i])
	}
	return sum
}

func sumAbs(x []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += math.Abs(x[0])
		b += math.Abs(x[1])
		c += math.Abs(x[2])
		d += math.Abs(x[3])
	}
	for _, v := range x {
		a += math.Abs(v)
	}
	return (a + b) + (c + d)
}
