package attack

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// rankTolerance is the least singular value that counts, relative to the largest: smaller
	// ones are rounding.
	rankTolerance = 1e-13
	// aloneTolerance is the largest squared length of a residue's unit vector outside the space
	// of the rows.
	aloneTolerance = 1e-6
	// rowsPerMember bounds the number of rows used per member. Rows of the first rounds come
	// first and contain the most information; later rows are close to the average.
	rowsPerMember = 40
)

// solveFloat returns the weights of each residue that follows from the rows, by least squares.
func solveFloat(rows [][]uint64, size int) map[int][]float64 {
	rows = rows[:min(len(rows), rowsPerMember*size)]
	o := mat.NewDense(len(rows), size, nil)
	for i, row := range rows {
		for j, w := range row {
			o.Set(i, j, math.Float64frombits(w))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(o, mat.SVDThin) {
		return nil
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > rankTolerance*values[0] {
		rank++
	}
	found := map[int][]float64{}
	for s := range size {
		var inside float64 // squared length of the residue's unit vector, projected on the rows
		for k := range rank {
			inside += v.At(s, k) * v.At(s, k)
		}
		if inside < 1-aloneTolerance {
			continue
		}
		weights := make([]float64, len(rows))
		for k := range rank {
			c := v.At(s, k) / values[k]
			for i := range weights {
				weights[i] += c * u.At(i, k)
			}
		}
		found[s] = weights
	}
	return found
}

// mixFloat returns the combination of observed words.
func mixFloat(weights []float64, data [][]uint64) []uint64 {
	y := make([]float64, len(data[0]))
	for i, w := range weights {
		for j, v := range data[i] {
			y[j] += w * math.Float64frombits(v)
		}
	}
	words := make([]uint64, len(y))
	for j, v := range y {
		words[j] = math.Float64bits(v)
	}
	return words
}
