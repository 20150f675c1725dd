package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/option"
)

// Ranges maps columns to agreed ranges, each from a lower to a higher value. The range of
// EveryColumn applies to all columns not named.
type Ranges map[string][2]float64

// EveryColumn stands for all columns not named.
const EveryColumn = "*"

func (r Ranges) check() error {
	for _, name := range r.names() {
		if low, high := r[name][0], r[name][1]; !(low < high) || math.IsInf(high-low, 0) {
			return option.Errorf("ranges", "column %s: want a finite range from a lower to a higher value, got %g to %g", name, low, high)
		}
	}
	return nil
}

func (r Ranges) names() []string {
	names := make([]string, 0, len(r))
	for name := range r {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// of returns the range of a column.
func (r Ranges) of(column string) (low, high float64, ok bool) {
	v, ok := r[column]
	if !ok {
		v, ok = r[EveryColumn]
	}
	return v[0], v[1], ok
}

// String returns a canonical form: equal ranges have equal strings.
func (r Ranges) String() string {
	var parts []string
	for _, name := range r.names() {
		parts = append(parts, fmt.Sprintf("%s %g to %g", name, r[name][0], r[name][1]))
	}
	return strings.Join(parts, ", ")
}

// windowed returns the ranges for the columns of windows. A standard deviation is at most half
// the range of the values.
func (r Ranges) windowed(columns []string, w int) Ranges {
	if w <= 0 {
		return r
	}
	out := Ranges{}
	data := rows.DataColumns(columns, w)
	for i, name := range columns {
		low, high, ok := r.of(data[i%len(data)])
		if i/len(data) == 2 {
			low, high = 0, (high-low)/2
		}
		if ok {
			out[name] = [2]float64{low, high}
		}
	}
	return out
}

// scaling returns the min-max scaling from the ranges to [0, 1].
func (r Ranges) scaling(columns []string) (rows.Scaling, error) {
	low, high := make([]float64, len(columns)), make([]float64, len(columns))
	for i, name := range columns {
		var ok bool
		if low[i], high[i], ok = r.of(name); !ok {
			return rows.Scaling{}, option.Errorf("ranges", "want a range for each column, got none for %q", name)
		}
	}
	return rows.FromRanges(low, high)
}

// limits are the ends of a range for each column.
type limits struct{ Low, High []float64 }

// outside counts the values of each column that are outside its range.
var outside = lanes.NewJob("values outside ranges", func(l *lanes.Lane, of limits) ([]float64, error) {
	count := make([]float64, l.Dim)
	return count, l.Each(func(row []float64) {
		for i, v := range row {
			if v < of.Low[i] || v > of.High[i] {
				count[i]++
			}
		}
	})
})

// outside returns a list of the columns with values outside their ranges, empty if there are
// none.
func (r Ranges) outside(columns []string, of collabdict.Rows) (string, error) {
	low, high := make([]float64, len(columns)), make([]float64, len(columns))
	for i, name := range columns {
		low[i], high[i], _ = r.of(name)
	}
	count, err := lanes.Sum(outside, of, limits{low, high})
	values := 0.0
	for _, n := range count {
		values += n
	}
	if err != nil || values == 0 {
		return "", err
	}
	most := 0
	for i, n := range count {
		if n > count[most] {
			most = i
		}
	}
	return fmt.Sprintf("%.0f of your values are outside the agreed ranges, %.0f of them in column %s (%g to %g): scaled, they are outside 0 to 1", values, count[most], columns[most], low[most], high[most]), nil
}
