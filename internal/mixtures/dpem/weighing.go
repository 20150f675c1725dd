package dpem

import "math"

// weighing scales moments of components to vectors whose norm is at most 1, and totals of these
// back. The Frobenius norm is at most first for first moments, and at most second for second
// moments.
type weighing struct {
	components, dim int
	first, second   float64
	form            string
}

// seconds returns the number of second moments, and the number of values in each.
func (w *weighing) seconds() (matrices, values int) {
	switch w.form {
	case Tied:
		return 1, w.dim * (w.dim + 1) / 2
	case Diag:
		return w.components, w.dim
	}
	return w.components, w.dim * (w.dim + 1) / 2
}

// len returns the length of the vector: counts, then the first moments of each component, then
// the second ones.
func (w *weighing) len() int {
	matrices, values := w.seconds()
	return w.components*(1+w.dim) + matrices*values
}

// scale converts sums of moments to the unit of vectors.
func (w *weighing) scale(x []float64) {
	w.each(x, func(v *float64, of kind) { *v *= w.unit(of) })
}

// unit returns the factor between a moment and its value in a vector.
func (w *weighing) unit(of kind) float64 {
	switch of {
	case count:
		return math.Sqrt(countsShare)
	case firstMoment:
		return math.Sqrt(firstShare) / w.first
	case variance:
		return math.Sqrt(secondShare) / w.second
	}
	return math.Sqrt(2*secondShare) / w.second // a matrix has each product twice
}

// kind is the kind of a moment.
type kind int

const (
	count kind = iota
	firstMoment
	variance
	product
)

func (w *weighing) each(x []float64, f func(v *float64, of kind)) {
	at := 0
	do := func(n int, of kind) {
		for range n {
			f(&x[at], of)
			at++
		}
	}
	do(w.components, count)
	do(w.components*w.dim, firstMoment)
	matrices, _ := w.seconds()
	for range matrices {
		for i := range w.dim {
			do(1, variance)
			if w.form != Diag {
				do(w.dim-1-i, product)
			}
		}
	}
}

// moments holds the moments of a total. Standard deviations are those of the noise in each
// value. The noise of a variance in a matrix is √2 times as large as that of a product.
type moments struct {
	rows   []float64   // K
	first  []float64   // K by M
	second [][]float64 // K matrices, or one, of M by M; for Diag only diagonals

	rowsSD, firstSD, secondSD float64
}

// moments returns the moments of a total, given the standard deviation of its noise.
func (w *weighing) moments(total []float64, sd float64) *moments {
	x := append([]float64(nil), total...)
	w.each(x, func(v *float64, of kind) { *v /= w.unit(of) })
	k, m := w.components, w.dim
	out := &moments{rows: x[:k], first: x[k : k*(1+m)], rowsSD: sd / w.unit(count), firstSD: sd / w.unit(firstMoment), secondSD: sd / w.unit(product)}
	rest := x[k*(1+m):]
	matrices, values := w.seconds()
	for i := range matrices {
		s := rest[i*values : (i+1)*values]
		if w.form != Diag {
			s = symmetric(s, m)
		}
		out.second = append(out.second, s)
	}
	return out
}
