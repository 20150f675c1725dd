package lapack

import (
	"cmp"
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/kernels/blas"
)

// Eigen returns the eigenvalues of the symmetric matrix a (row-major n × n) in ascending order,
// and the eigenvectors as rows of a matrix of the same form. The largest entry of each vector
// is positive, so that rounding cannot flip its sign. It overwrites a. ok is false if the
// method does not converge.
//
// It reduces the matrix to tridiagonal form by Householder reflections, and applies the
// implicit QL method (Bowdler, Martin, Reinsch and Wilkinson 1968).
func Eigen(a []float64, n int) (values, vectors []float64, ok bool) {
	values, off := make([]float64, n), make([]float64, n)
	vectors = make([]float64, n*n)
	reflectors := make([][]float64, 0, n)
	for k := range n - 2 {
		reflectors = append(reflectors, tridiagonal(a, n, k))
	}
	for i := range n {
		values[i] = a[i*n+i]
		vectors[i*n+i] = 1
		if i+1 < n {
			off[i] = a[i*n+i+1]
		}
	}
	// Row i of vectors is column i of the product of the reflections.
	for k := n - 3; k >= 0; k-- {
		v := reflectors[k]
		for i := k + 1; v != nil && i < n; i++ {
			row := vectors[i*n+k+1 : (i+1)*n]
			blas.AddScaled(row, -2*blas.Dot(v, row), v)
		}
	}
	norm := 0.0
	for i, v := range values {
		norm = max(norm, math.Abs(v)+math.Abs(off[i]))
	}
	for l := range n {
		if !converge(values, off, vectors, l, epsilon*norm) {
			return nil, nil, false
		}
	}
	return sorted(values, vectors)
}

// sorted sorts values with their vectors, and fixes the signs of the vectors.
func sorted(values, vectors []float64) (ascending, rows []float64, ok bool) {
	n := len(values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ascending, rows = make([]float64, 0, n), make([]float64, 0, n*n)
	for _, from := range order {
		axis := vectors[from*n : (from+1)*n]
		largest := 0
		for j, v := range axis {
			if math.Abs(v) > math.Abs(axis[largest]) {
				largest = j
			}
		}
		sign := 1.0
		if axis[largest] < 0 {
			sign = -1
		}
		ascending = append(ascending, values[from])
		for _, v := range axis {
			rows = append(rows, sign*v)
		}
	}
	return ascending, rows, true
}

// tridiagonal zeroes row and column k of a beyond the diagonal's neighbour, by a reflection. It
// returns the reflection's unit vector over the entries from k+1, nil if there is nothing to
// do.
func tridiagonal(a []float64, n, k int) []float64 {
	x := a[k*n+k+1 : (k+1)*n]
	norm := math.Sqrt(blas.Dot(x, x))
	if norm == 0 {
		return nil
	}
	alpha := -math.Copysign(norm, x[0])
	v := append([]float64(nil), x...)
	v[0] -= alpha
	length := math.Sqrt(blas.Dot(v, v))
	for i := range v {
		v[i] /= length
	}
	// A − 2v(Av)ᵀ − 2(Av)vᵀ + 4(vᵀAv)vvᵀ, for the rest of the matrix.
	w := make([]float64, len(v))
	for i := range w {
		w[i] = blas.Dot(a[(k+1+i)*n+k+1:(k+2+i)*n], v)
	}
	blas.AddScaled(w, -blas.Dot(v, w), v)
	for i := range w {
		row := a[(k+1+i)*n+k+1 : (k+2+i)*n]
		blas.AddScaled(row, -2*v[i], w)
		blas.AddScaled(row, -2*w[i], v)
	}
	clear(x)
	x[0] = alpha
	for i := k + 1; i < n; i++ {
		a[i*n+k] = x[i-k-1]
	}
	return v
}

const epsilon = 0x1p-52

// converge rotates until off[l] is negligible beside its neighbours, and applies the rotations
// to the vectors. Rounding errors of the reflections count as negligible too: if the matrix has
// a null space, such entries never fall below the eigenvalues beside them, which are as small.
func converge(d, off, vectors []float64, l int, rounding float64) bool {
	const (
		sweeps = 60
		strict = 10 // sweeps before rounding counts as negligible
	)
	n := len(d)
	for sweep := range sweeps {
		least := 0.0
		if sweep >= strict {
			least = rounding
		}
		m := l
		for m < n-1 && math.Abs(off[m]) > max(least, epsilon*(math.Abs(d[m])+math.Abs(d[m+1]))) {
			m++
		}
		if m == l {
			return true
		}
		g := (d[l+1] - d[l]) / (2 * off[l])
		g = d[m] - d[l] + off[l]/(g+math.Copysign(hypotenuse(g, 1), g))
		sin, cos, p := 1.0, 1.0, 0.0
		i := m - 1
		for ; i >= l; i-- {
			f, b := float64(sin*off[i]), float64(cos*off[i])
			r := math.Copysign(hypotenuse(f, g), g) // so that the cosine is not negative
			off[i+1] = r
			if r == 0 { // the matrix splits into two parts here
				d[i+1] -= p
				off[m] = 0
				break
			}
			sin, cos = f/r, g/r
			g = d[i+1] - p
			r = float64((d[i]-g)*sin) + float64(2*float64(cos*b))
			p = float64(sin * r)
			d[i+1] = g + p
			g = float64(cos*r) - b
			turn(vectors[i*n:(i+1)*n], vectors[(i+1)*n:(i+2)*n], sin, cos)
		}
		if i >= l {
			continue
		}
		d[l] -= p
		off[l], off[m] = g, 0
	}
	return false
}

// turn replaces x by cos·x − sin·y and y by sin·x + cos·y, by three shears. cos is at least 0.
func turn(x, y []float64, sin, cos float64) {
	slope := -sin / (1 + cos)
	blas.AddScaled(x, slope, y)
	blas.AddScaled(y, sin, x)
	blas.AddScaled(x, slope, y)
}

// hypotenuse returns √(x² + y²) without overflow.
func hypotenuse(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if y == 0 {
		return x
	}
	r := y / x
	return float64(x * math.Sqrt(1+float64(r*r)))
}
