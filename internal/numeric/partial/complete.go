package partial

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
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
	parts, err := presentCells.Over(rows, struct{}{})
	if err != nil {
		return rows, nil, err
	}
	count, mean := make([]float64, dim), make([]float64, dim)
	for _, part := range parts {
		blas.AddScaled(count, 1, part.Count)
		blas.AddScaled(mean, 1, part.Sum)
		lacking = append(lacking, part.Lacking...)
	}
	if lacking == nil {
		return rows, nil, nil
	}
	for i, c := range count {
		if c == 0 {
			return nil, nil, &EmptyError{i}
		}
		mean[i] /= c
	}
	scale, err := lanes.Sum(squaresAbout, rows, mean)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range count {
		scale[i] = math.Sqrt(scale[i] / c) // 0 if the column is constant
	}
	to := &completed{rows, completion{Mean: mean, Scale: scale, Centre: make([]float64, dim), Precision: make([]float64, dim*dim)}}
	for i := range dim {
		to.Precision[i*dim+i] = 1
	}
	for range steps {
		if err == nil {
			err = to.fit()
		}
	}
	return to, lacking, err
}

// present describes the cells of a lane that are not missing.
type present struct {
	Count, Sum []float64 // of each column
	Lacking    []int     // the numbers of rows with missing cells
}

var presentCells = lanes.NewJob("cells present", func(l *lanes.Lane, _ struct{}) (out present, err error) {
	out = present{Count: make([]float64, l.Dim), Sum: make([]float64, l.Dim)}
	return out, l.Blocks(func(from int, x []float64) {
		for ; len(x) > 0; x, from = x[l.Dim:], from+1 {
			for i, v := range x[:l.Dim] {
				if !math.IsNaN(v) {
					out.Count[i]++
					out.Sum[i] += v
				}
			}
			if Any(x[:l.Dim]) {
				out.Lacking = append(out.Lacking, from)
			}
		}
	})
})

// squaresAbout sums, for each column, the squared distances of its cells from a point.
var squaresAbout = lanes.NewJob("squares of cells present", func(l *lanes.Lane, point []float64) ([]float64, error) {
	sums := make([]float64, l.Dim)
	return sums, l.Each(func(row []float64) {
		for i, v := range row {
			if !math.IsNaN(v) {
				sums[i] += float64((v - point[i]) * (v - point[i]))
			}
		}
	})
})

// completed is rows whose missing cells are drawn.
type completed struct {
	collabdict.Rows
	completion
}

// A completion is the normal distribution from which missing cells are drawn. It is that of
// standardised columns.
type completion struct {
	Mean, Scale       []float64 // of the observed cells of each column
	Centre, Precision []float64
}

var completing = lanes.NewMaker("complete", func(x lanes.Rows, c completion) lanes.Rows { return &completed{x, c} })

// Origin implements [lanes.Elsewhere].
func (c *completed) Origin() *lanes.Origin {
	return completing.Of(lanes.OriginOf(c.Rows), c.completion)
}

// standard sets d to a row in standardised columns less the centre, with 0 for missing cells.
// It returns the conditional distribution of these cells.
func (c *completion) standard(d, row []float64) *Conditional {
	missing := Missing(nil, row)
	for i, v := range row {
		d[i] = 0
		switch {
		case math.IsNaN(v):
		case c.Scale[i] > 0:
			d[i] = (v-c.Mean[i])/c.Scale[i] - c.Centre[i]
		default:
			d[i] = -c.Centre[i]
		}
	}
	of := NewConditional(c.Precision, len(row), missing)
	of.Fill(d)
	return of
}

// expectedMoments sums the rows of a lane in standardised columns less the centre, as M values, and
// their expected products, as the upper triangle of M by M values.
var expectedMoments = lanes.NewJob("moments with expected cells", func(l *lanes.Lane, c completion) ([]float64, error) {
	dim := l.Dim
	sums, d := make([]float64, dim+dim*dim), make([]float64, dim)
	first, products := sums[:dim], sums[dim:]
	return sums, l.Each(func(row []float64) {
		of := c.standard(d, row)
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
})

// fit makes one EM step. Its prior weighs as many uncorrelated rows as there are columns.
func (c *completed) fit() error {
	rows, dim := c.Dims()
	sums, err := lanes.Sum(expectedMoments, c.Rows, c.completion)
	if err != nil {
		return err
	}
	n, first, products := float64(rows), sums[:dim], sums[dim:]
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
	c.Precision = Factorise(mat.NewSymDense(dim, products)).Inverse().RawSymmetric().Data
	for i, v := range first {
		c.Centre[i] += v / n
	}
	return nil
}

// ReadRows fills x with rows, beginning at row from.
func (c *completed) ReadRows(x []float64, from int) error {
	if err := c.Rows.ReadRows(x, from); err != nil {
		return err
	}
	c.fill(x, from)
	return nil
}

// fill draws the missing cells of rows. The first row has the number from.
func (c *completion) fill(x []float64, from int) {
	dim := len(c.Mean)
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
			row[i] = c.Mean[i] + float64(c.Scale[i]*(c.Centre[i]+d[i]))
		}
	}
}
