package partial

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// EmptyError reports a column with all cells missing.
type EmptyError struct{ Column int }

func (e *EmptyError) Error() string {
	return fmt.Sprintf("rows: all cells of column %d are missing", e.Column+1)
}

// steps is the number of EM steps that fit the normal distribution.
const steps = 20

// Complete fills in missing cells. It draws each from its distribution given the other cells of
// the row, as if all rows came from one normal distribution. The draws follow from the rows, so
// they repeat, and they keep means and covariances unbiased. Complete also returns the indices
// of the rows with missing cells; if there are none, it returns the rows as they are. A column
// without any cell is an *EmptyError.
func Complete(rows collabdict.Rows) (out collabdict.Rows, lacking []int, err error) {
	_, dim := rows.Dims()
	count, mean, scale := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	at := 0
	err = parallel.EachRow(rows, func(row []float64) {
		for i, v := range row {
			if !math.IsNaN(v) {
				count[i]++
				mean[i] += v
			}
		}
		if Any(row) {
			lacking = append(lacking, at)
		}
		at++
	})
	if err != nil || lacking == nil {
		return rows, nil, err
	}
	for i, c := range count {
		if c == 0 {
			return nil, nil, &EmptyError{i}
		}
		mean[i] /= c
	}
	err = parallel.EachRow(rows, func(row []float64) {
		for i, v := range row {
			if !math.IsNaN(v) {
				scale[i] += float64((v - mean[i]) * (v - mean[i]))
			}
		}
	})
	for i, c := range count {
		scale[i] = math.Sqrt(scale[i] / c) // 0 if the column is constant
	}
	to := &completed{Rows: rows, mean: mean, scale: scale, centre: make([]float64, dim), precision: make([]float64, dim*dim)}
	for i := range dim {
		to.precision[i*dim+i] = 1
	}
	for range steps {
		if err == nil {
			err = to.fit()
		}
	}
	return to, lacking, err
}

// completed is rows whose missing cells are drawn. Its distribution is that of standardised
// columns.
type completed struct {
	collabdict.Rows
	mean, scale       []float64 // of the observed cells of each column
	centre, precision []float64
}

// standard sets d to a row in standardised columns less the centre, with 0 for missing cells.
// It returns the conditional distribution of these cells.
func (c *completed) standard(d, row []float64) *Conditional {
	missing := Missing(nil, row)
	for i, v := range row {
		d[i] = 0
		switch {
		case math.IsNaN(v):
		case c.scale[i] > 0:
			d[i] = (v-c.mean[i])/c.scale[i] - c.centre[i]
		default:
			d[i] = -c.centre[i]
		}
	}
	of := NewConditional(c.precision, len(row), missing)
	of.Fill(d)
	return of
}

// fit makes one EM step. Its prior weighs as many uncorrelated rows as there are columns.
func (c *completed) fit() error {
	dim := len(c.mean)
	d, first, second := make([]float64, dim), make([]float64, dim), mat.NewSymDense(dim, nil)
	products := second.RawSymmetric().Data
	n := 0.0
	err := parallel.EachRow(c.Rows, func(row []float64) {
		of := c.standard(d, row)
		n++
		for i, v := range d {
			first[i] += v
			blas.AddScaled(products[i*dim+i:(i+1)*dim], v, d[i:])
		}
		covariance := of.Covariance()
		for a, i := range of.missing {
			for b := a; b < len(of.missing); b++ {
				products[i*dim+of.missing[b]] += covariance[a*len(of.missing)+b]
			}
		}
	})
	if err != nil {
		return err
	}
	more := float64(dim)
	for i := range dim {
		for j := i; j < dim; j++ {
			v := products[i*dim+j] - float64(first[i]*first[j]/n)
			if i == j {
				v += more
			}
			products[i*dim+j] = v / (n + more)
		}
	}
	c.precision = Factorise(second).Inverse().RawSymmetric().Data
	for i, v := range first {
		c.centre[i] += v / n
	}
	return nil
}

// ReadRows fills x with rows, beginning at row from.
func (c *completed) ReadRows(x []float64, from int) error {
	if err := c.Rows.ReadRows(x, from); err != nil {
		return err
	}
	dim := len(c.mean)
	d := make([]float64, dim)
	for at := 0; at < len(x); at += dim {
		row := x[at : at+dim]
		if !Any(row) {
			continue
		}
		of := c.standard(d, row)
		src := rand.NewPCG(uint64(from+at/dim), 0)
		z := make([]float64, len(of.missing))
		for a := range z {
			z[a] = portable.Normal(src)
		}
		of.add(d, z)
		for _, i := range of.missing {
			row[i] = c.mean[i] + float64(c.scale[i]*(c.centre[i]+d[i]))
		}
	}
	return nil
}
