package latent

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// evenly returns up to most of n places, spaced as evenly as possible.
func evenly(n, most int) []int {
	places := make([]int, min(n, most))
	for i := range places {
		places[i] = i * n / len(places)
	}
	return places
}

// blockRows is the number of rows in memory at a time.
const blockRows = 256

// eachBlock calls f with the rows at places, in blocks; from counts the rows before a block.
func eachBlock(rows collabdict.Rows, places []int, f func(x *mat.Dense, from int) error) error {
	for from := 0; from < len(places); from += blockRows {
		x, err := read(rows, places[from:min(from+blockRows, len(places))])
		if err == nil {
			err = f(x, from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read returns the rows at places.
func read(rows collabdict.Rows, places []int) (*mat.Dense, error) {
	_, columns := rows.Dims()
	x := mat.NewDense(len(places), columns, nil)
	for i, at := range places {
		if err := rows.ReadRows(x.RawRowView(i), at); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// moments holds the mean of columns and the squares about it (Welford 1962).
type moments struct {
	n             float64
	mean, squares []float64
}

func (m *moments) add(x *mat.Dense) {
	n, columns := x.Dims()
	if m.mean == nil {
		m.mean, m.squares = make([]float64, columns), make([]float64, columns)
	}
	for i := range n {
		m.n++
		for j, v := range x.RawRowView(i) {
			d := v - m.mean[j]
			m.mean[j] += d / m.n
			m.squares[j] += d * (v - m.mean[j])
		}
	}
}

// variance returns the variance of column j.
func (m *moments) variance(j int) float64 { return m.squares[j] / m.n }
