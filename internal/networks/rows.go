package networks

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
)

// Seed returns the seed for a participant's draws, which nobody else may know. A participant
// that learns alone reveals nothing, so its seed need not be secret.
func Seed(d algorithm.Data) uint64 {
	if d.Source == nil {
		return d.Seed
	}
	return d.Source.Uint64()
}

// Rows returns the rows of a matrix.
func Rows(z *mat.Dense) collabdict.Rows { return rowsOf{z} }

type rowsOf struct{ *mat.Dense }

func (r rowsOf) ReadRows(x []float64, from int) error {
	_, m := r.Dims()
	for ; len(x) > 0; x = x[m:] {
		copy(x[:m], r.RawRowView(from))
		from++
	}
	return nil
}

// Singles returns the elements of a matrix in single precision, row by row.
func Singles(z *mat.Dense) (out []float32) {
	n, _ := z.Dims()
	for i := range n {
		for _, v := range z.RawRowView(i) {
			out = append(out, float32(v))
		}
	}
	return out
}

// Dense returns the matrix of at least one row with the given number of columns, or err if it
// is not nil.
func Dense(rows []float32, columns int, err error) (*mat.Dense, error) {
	if err != nil {
		return nil, err
	}
	wide := make([]float64, len(rows))
	for i, v := range rows {
		wide[i] = float64(v)
	}
	return mat.NewDense(len(rows)/columns, columns, wide), nil
}

// Explained returns an explanation of scores by parts, in which the expected rows are those
// that the codes decode to; or err if it is not nil.
func Explained(by algorithm.Coder, z, parts *mat.Dense, err error) (algorithm.Explanation, error) {
	if err != nil {
		return algorithm.Explanation{}, err
	}
	whole, err := Whole(by, z)
	if err != nil {
		return algorithm.Explanation{}, err
	}
	codes, err := by.Encode(whole)
	if err != nil {
		return algorithm.Explanation{}, err
	}
	expected, err := by.Decode(codes)
	return algorithm.Explanation{Parts: parts, Expected: expected}, err
}

// Room returns x with n elements, whose values are arbitrary.
func Room(x []float32, n int) []float32 { return slices.Grow(x[:0], n)[:n] }
