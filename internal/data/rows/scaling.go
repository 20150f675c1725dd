package rows

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// A Scaling maps columns to the coordinates that training uses: z = (x − Shift) / Scale.
type Scaling struct {
	Shift, Scale []float64
}

// negligible is the share of the size of its mean up to which the standard deviation of a column
// is rounding, so that the column is constant.
const negligible = 1e-10

// Unscaled returns the identity for n columns.
func Unscaled(n int) Scaling {
	s := Scaling{Shift: make([]float64, n), Scale: make([]float64, n)}
	for j := range s.Scale {
		s.Scale[j] = 1
	}
	return s
}

// FromRanges maps each column from its range to [0, 1]. Values outside the range map outside.
func FromRanges(low, high []float64) (Scaling, error) {
	if len(low) != len(high) {
		panic("rows: low and high have different lengths")
	}
	s := Unscaled(len(low))
	for j, l := range low {
		size := high[j] - l
		if !(size > 0) || math.IsInf(size, 1) {
			return Scaling{}, fmt.Errorf("ranges: column %d: want a finite range from a lower to a higher value, got %g to %g", j+1, l, high[j])
		}
		s.Shift[j], s.Scale[j] = l, size
	}
	return s, nil
}

// Own standardises the columns of x to mean 0 and variance 1 (divisor: number of rows), in two
// passes. It returns the constant columns, which keep scale 1. x must have rows. NaN cells are
// missing and do not count.
func Own(x collabdict.Rows) (s Scaling, constant []int, err error) {
	n, _ := x.Dims()
	parts, err := columnsOfLane.Over(x, struct{}{})
	if err != nil {
		return Scaling{}, nil, err
	}
	all := parts[0]
	for _, part := range parts[1:] {
		for j := range all.Mean {
			all.Mean[j] += part.Mean[j]
			all.Missing[j] += part.Missing[j]
			all.Low[j], all.High[j] = min(all.Low[j], part.Low[j]), max(all.High[j], part.High[j])
		}
	}
	present := func(means []float64) {
		for j, m := range all.Missing {
			if m > 0 && m < n {
				means[j] *= float64(n) / float64(n-m)
			}
		}
	}
	mean := all.Mean
	present(mean)
	for j, v := range all.Low {
		if v == all.High[j] { // exactly, whatever the rounding of the sum
			mean[j] = v
		}
	}
	variance, err := lanes.Sum(squaresAbout, x, mean)
	if err != nil {
		return Scaling{}, nil, err
	}
	present(variance)
	s, constant = standard(mean, variance)
	return s, constant, nil
}

// columns describes the values of each column that are not missing. Missing ones count as 0 in the
// mean.
type columns struct {
	Mean, Low, High []float64
	Missing         []int
}

var columnsOfLane = lanes.NewJob("columns", func(l *lanes.Lane, _ struct{}) (c columns, err error) {
	c = columns{make([]float64, l.Dim), slices.Repeat([]float64{math.Inf(1)}, l.Dim), slices.Repeat([]float64{math.Inf(-1)}, l.Dim), make([]int, l.Dim)}
	return c, l.Each(func(row []float64) {
		for j, v := range row {
			if v != v {
				c.Missing[j]++
				continue
			}
			c.Mean[j] += v / float64(l.Rows)
			c.Low[j], c.High[j] = min(c.Low[j], v), max(c.High[j], v)
		}
	})
})

// squaresAbout computes, for each column, the mean squared distance of its values from a point.
var squaresAbout = lanes.NewJob("mean squares", func(l *lanes.Lane, point []float64) ([]float64, error) {
	means := make([]float64, l.Dim)
	return means, l.Each(func(row []float64) {
		for j, v := range row {
			if v == v {
				means[j] += (v - point[j]) * (v - point[j]) / float64(l.Rows)
			}
		}
	})
})

// FromQuartiles maps the median of each column to 0, and scales by the standard deviation of a
// normal distribution with the column's first and third quartile. If these are equal, the
// column gets the scale of otherwise, and is constant if it is constant there.
func FromQuartiles(first, median, third []float64, otherwise func() (Scaling, []int, error)) (s Scaling, constant []int, err error) {
	const quartiles = 1.349 // interquartile range of a normal distribution, in standard deviations
	var flat []int
	s = Unscaled(len(median))
	for j, m := range median {
		s.Shift[j] = m
		if deviation := (third[j] - first[j]) / quartiles; deviation > negligible*math.Abs(m) {
			s.Scale[j] = deviation
		} else {
			flat = append(flat, j)
		}
	}
	if flat == nil {
		return s, nil, nil
	}
	other, alike, err := otherwise()
	if err != nil {
		return Scaling{}, nil, err
	}
	for _, j := range flat {
		s.Scale[j] = other.Scale[j]
		if slices.Contains(alike, j) {
			constant = append(constant, j)
		}
	}
	return s, constant, nil
}

func standard(mean, variance []float64) (s Scaling, constant []int) {
	s = Unscaled(len(mean))
	for j, v := range variance {
		s.Shift[j] = mean[j]
		if deviation := math.Sqrt(max(v, 0)); deviation > negligible*math.Abs(mean[j]) {
			s.Scale[j] = deviation
		} else {
			constant = append(constant, j)
		}
	}
	return s, constant
}

// Then returns the scaling that scales by s first, and then by next.
func (s Scaling) Then(next Scaling) Scaling {
	out := Unscaled(len(s.Scale))
	for j, scale := range s.Scale {
		out.Shift[j] = s.Shift[j] + scale*next.Shift[j]
		out.Scale[j] = scale * next.Scale[j]
	}
	return out
}

// Copy is like Rows, but scales rows in double precision in memory once, into a copy. Use it
// for rows that are read often.
func (s Scaling) Copy(x collabdict.Rows) collabdict.Rows {
	if m, ok := x.(Matrix); ok {
		return InMemory(s.Apply(m.Dense))
	}
	return s.Rows(x)
}

// scale writes scaled rows to dst, which may be x.
func (s Scaling) scale(dst, x []float64) {
	width := len(s.Scale)
	for ; len(x) > 0; dst, x = dst[width:], x[width:] {
		for j, v := range x[:width] {
			dst[j] = (v - s.Shift[j]) / s.Scale[j]
		}
	}
}

// Apply returns a scaled copy of x.
func (s Scaling) Apply(x *mat.Dense) *mat.Dense {
	z := mat.DenseCopyOf(x)
	s.ApplyTo(z, x)
	return z
}

// ApplyTo writes the scaled rows of x to dst, which has the same shape and may be x.
func (s Scaling) ApplyTo(dst, x *mat.Dense) {
	rows, cols := x.Dims()
	if r, c := dst.Dims(); r != rows || c != cols || len(s.Scale) != cols || len(s.Shift) != cols {
		panic("rows: scaling, dst and x have different shapes")
	}
	for i := range rows {
		s.scale(dst.RawRowView(i), x.RawRowView(i))
	}
}
