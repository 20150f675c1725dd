package audittest

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Discriminated returns an audit of drawn vectors, of the first and of the second neighbour. The
// statistic is the linear one that separates the vectors in choose best (Fisher 1936). Those in
// judge must be others.
func Discriminated(choose, judge [2][][]float64) *Audit {
	var a Audit
	statistic := discriminant(choose)
	for side := range choose {
		for _, x := range choose[side] {
			a.choose[side] = append(a.choose[side], statistic(x))
		}
		for _, x := range judge[side] {
			a.judge[side] = append(a.judge[side], statistic(x))
		}
		slices.Sort(a.choose[side])
		slices.Sort(a.judge[side])
	}
	return &a
}

// Advantage returns the share of alarms for the second neighbour less that for the first, at the best
// threshold. Lower is a bound, with 99 % confidence, of its expectation. With a Gaussian mechanism of
// the ratio μ, no test achieves more than 2Φ(μ/2) − 1.
func (a *Audit) Advantage() (value, lower float64) {
	best, cut := -1.0, 0.0
	for _, all := range a.choose {
		for _, v := range all {
			if no, yes := above(a.choose[0], v), above(a.choose[1], v); share(yes, a.choose[1])-share(no, a.choose[0]) > best {
				best, cut = share(yes, a.choose[1])-share(no, a.choose[0]), v
			}
		}
	}
	no, yes := above(a.judge[0], cut), above(a.judge[1], cut)
	return share(yes, a.judge[1]) - share(no, a.judge[0]), least(yes, len(a.judge[1])) - most(no, len(a.judge[0]))
}

// above returns the number of sorted values of at least cut.
func above(sorted []float64, cut float64) int {
	at, _ := slices.BinarySearch(sorted, cut)
	return len(sorted) - at
}

func share(hits int, of []float64) float64 { return float64(hits) / float64(len(of)) }

// discriminant returns the statistic. A larger value speaks for the second neighbour.
func discriminant(draws [2][][]float64) func(x []float64) float64 {
	dim := len(draws[0][0])
	within, between := mat.NewSymDense(dim, nil), make([]float64, dim)
	for side, all := range draws {
		x := mat.NewDense(len(all), dim, nil)
		for i, row := range all {
			x.SetRow(i, row)
		}
		var c mat.SymDense
		stat.CovarianceMatrix(&c, x, nil)
		within.AddSym(within, &c)
		for j := range dim {
			between[j] += float64(2*side-1) * stat.Mean(mat.Col(nil, j, x), nil)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(within) {
		panic("audittest: a value is constant, or follows from the others")
	}
	w := mat.NewVecDense(dim, nil)
	if err := chol.SolveVecTo(w, mat.NewVecDense(dim, between)); err != nil {
		panic(err)
	}
	return func(x []float64) float64 { return floats.Dot(w.RawVector().Data, x) }
}
