package dpem

import "math"

// weighing brings moments of components to vectors whose norm is at most 1, and totals of these back.
// First moments are at most first long, and second ones second, in the Frobenius norm.
type weighing struct {
	components, dim int
	first, second   float64
	form            string
}

// seconds is how many second moments there are, and of how many values.
func (w *weighing) seconds() (matrices, values int) {
	switch w.form {
	case Tied:
		return 1, w.dim * (w.dim + 1) / 2
	case Diag:
		return w.components, w.dim
	}
	return w.components, w.dim * (w.dim + 1) / 2
}

// len is the length of the vector: counts, then first moments of each component, then second ones.
func (w *weighing) len() int {
	matrices, values := w.seconds()
	return w.components*(1+w.dim) + matrices*values
}

func (w *weighing) scale(x []float64) {
	counts, first, second := math.Sqrt(countsShare), math.Sqrt(firstShare)/w.first, math.Sqrt(secondShare)/w.second
	w.each(x, func(v *float64, of kind) {
		switch of {
		case count:
			*v *= counts
		case firstMoment:
			*v *= first
		case variance:
			*v *= second
		case product: // which a matrix has twice
			*v *= second * math.Sqrt2
		}
	})
}

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

// moments are those of a total. Standard deviations are of the noise in each value; that of a variance in a
// matrix is √2 times as large as of a product.
type moments struct {
	rows   []float64   // K
	first  []float64   // K by M
	second [][]float64 // K, or one, of M by M; diagonals alone of Diag

	rowsSD, firstSD, secondSD float64
}

func (w *weighing) moments(total []float64, sd float64) *moments {
	x := append([]float64(nil), total...)
	counts, first, second := math.Sqrt(countsShare), math.Sqrt(firstShare)/w.first, math.Sqrt(secondShare)/w.second
	w.each(x, func(v *float64, of kind) {
		switch of {
		case count:
			*v /= counts
		case firstMoment:
			*v /= first
		case variance:
			*v /= second
		case product:
			*v /= float64(second * math.Sqrt2)
		}
	})
	k, m := w.components, w.dim
	out := &moments{rows: x[:k], first: x[k : k*(1+m)], rowsSD: sd / counts, firstSD: sd / first, secondSD: sd / float64(second*math.Sqrt2)}
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
