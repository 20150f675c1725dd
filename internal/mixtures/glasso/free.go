package glasso

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/kernels/blas"
)

// free is the set of coordinates (i, j), i ≤ j, that may move: those with x_ij ≠ 0 or a
// gradient beyond λ, and the diagonal. A vector over it stands for a symmetric matrix that is 0
// elsewhere.
//
// Row i has the coordinates first[i] to first[i+1], with the diagonal first.
type free struct {
	p       int
	first   []int
	columns []int

	// scratch for products: VA, one column of it, and for dense sets V and AVA
	z, column, v, az []float64
}

func (f *free) size() int { return len(f.columns) }

// collect sets f to the free coordinates at the block's point, and returns the largest
// violation of the optimality conditions.
func (f *free) collect(b *block) float64 {
	f.p, f.first, f.columns = b.p, append(f.first[:0], 0), f.columns[:0]
	worst := 0.0
	for i := range b.p {
		row := i * b.p
		x, s, w := b.x[row:row+b.p], b.s[row:row+b.p], b.w[row:row+b.p]
		worst = larger(worst, math.Abs(s[i]-w[i]))
		f.columns = append(f.columns, i)
		for j := i + 1; j < b.p; j++ {
			g := s[j] - w[j]
			if x[j] == 0 && math.Abs(g) <= b.lambda {
				continue
			}
			f.columns = append(f.columns, j)
			worst = larger(worst, violation(x[j], g, b.lambda))
		}
		f.first = append(f.first, f.size())
	}
	return worst
}

// larger is [math.Max] for numbers of at least 0.
func larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

// each calls do with the number and the place of every coordinate.
func (f *free) each(do func(k, i, j int)) {
	for i := range f.p {
		for k := f.first[i]; k < f.first[i+1]; k++ {
			do(k, i, f.columns[k])
		}
	}
}

// gather copies a's elements on the set to out.
func (f *free) gather(a, out []float64) {
	for i := range f.p {
		row := a[i*f.p:][:f.p]
		for k := f.first[i]; k < f.first[i+1]; k++ {
			out[k] = row[f.columns[k]]
		}
	}
}

// scatter copies v to a's elements, in both triangles.
func (f *free) scatter(v, a []float64) {
	for i := range f.p {
		for k := f.first[i]; k < f.first[i+1]; k++ {
			j := f.columns[k]
			a[i*f.p+j], a[j*f.p+i] = v[k], v[k]
		}
	}
}

// inner is Tr(UV).
func (f *free) inner(u, v []float64) float64 {
	diagonal := 0.0
	for _, k := range f.first[:f.p] {
		diagonal += float64(u[k] * v[k])
	}
	return 2*blas.Dot(u, v) - diagonal
}

// resize returns v with n elements of arbitrary values.
func resize(v []float64, n int) []float64 { return slices.Grow(v[:0], n)[:n] }

// congruence sets out to AVA on the set, for a symmetric A.
func (f *free) congruence(a, v, out []float64) {
	if f.isDense() {
		f.v, f.az = resize(f.v, f.p*f.p), resize(f.az, f.p*f.p)
		clear(f.v)
		f.scatter(v, f.v)
		f.z = resize(f.z, f.p*f.p)
		multiply(f.p, f.v, a, f.z)
		multiply(f.p, a, f.z, f.az)
		f.gather(f.az, out)
		return
	}
	f.z = resize(f.z, f.p*f.p)
	f.times(v, a, f.z)
	f.against(f.z, a, out)
}

// isDense reports whether products of whole matrices are faster.
func (f *free) isDense() bool { return 4*f.size() > f.p*f.p }

// times sets z to VA.
func (f *free) times(v, a, z []float64) {
	p := f.p
	clear(z)
	for i := range p {
		for k := f.first[i]; k < f.first[i+1]; k++ {
			if v[k] != 0 {
				f.add(v[k], i, f.columns[k], a, z)
			}
		}
	}
}

// add updates z = VA for a change of v_ij = v_ji.
func (f *free) add(change float64, i, j int, a, z []float64) {
	p := f.p
	blas.AddScaled(z[i*p:][:p], change, a[j*p:][:p])
	if i != j {
		blas.AddScaled(z[j*p:][:p], change, a[i*p:][:p])
	}
}

// against sets out to AZ on the set.
func (f *free) against(z, a, out []float64) {
	p := f.p
	f.column = resize(f.column, p)
	for i := range p {
		for j := range f.column {
			f.column[j] = z[j*p+i]
		}
		for k := f.first[i]; k < f.first[i+1]; k++ {
			out[k] = blas.Dot(f.column, a[f.columns[k]*p:][:p])
		}
	}
}
