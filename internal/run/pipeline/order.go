package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/report"
)

// The orders of rows.
const (
	FindOrder = "auto"
	InTime    = "time" // neighbours are alike
	NoOrder   = "none"
)

const (
	// lookedAt is the number of rows tested for time order, in stretches of lookedAlong
	// neighbours if there are more rows.
	lookedAt    = 2000
	lookedAlong = 40
	// orderLevel is the significance level of the test: the share of participants with shuffled
	// rows that it takes for time-ordered. leastLikeness is the correlation of neighbours below
	// which order does not matter.
	orderLevel    = 0.001
	leastLikeness = 0.2
)

// FoundOrder returns the order by which a participant's rows are held out, and the reason. ok
// is false if no rows are held out.
func (t *Task) FoundOrder(p dataset.Participant) (o report.Order, ok bool, err error) {
	if t.Traits().Noise != nil {
		return report.Order{Order: NoOrder, Because: "with epsilon, each row is held out by a coin of its own"}, t.HoldOut > 0, nil
	}
	n, _ := p.Train.Dims()
	if count, _ := t.held(n); count < leastHeld {
		return o, false, nil
	}
	o, err = t.order(p)
	return o, true, err
}

// order tests whether a participant's rows are in time order: whether neighbouring values of
// some column are more alike than any two. The test uses ranks, so outliers do not decide, and
// allows a false positive for one participant in 1/orderLevel.
func (t *Task) order(p dataset.Participant) (report.Order, error) {
	if t.Window > 0 && t.Order != InTime {
		return report.Order{Order: InTime, Because: "windows overlap"}, nil
	}
	if t.Order != FindOrder {
		return report.Order{Order: t.Order, Because: "set by --order"}, nil
	}
	x, along, err := looked(p)
	if err != nil {
		return report.Order{}, err
	}
	n, width := x.Dims()
	best, at := 0.0, -1
	column := make([]float64, n)
	for j := range width {
		for i := range column {
			column[i] = x.At(i, j)
		}
		of := ranks(column)
		if kurtosis(of) > 1+math.Sqrt(float64(len(of)))/2 {
			continue // Nearly all values are equal: chance alone may put the others side by side.
		}
		r, variance := likeness(of, along)
		chance := float64(width) * math.Erfc(r/math.Sqrt(2*variance)) / 2 // bounds the probability of at least one such column
		if r > best && r >= leastLikeness && chance <= orderLevel {
			best, at = r, j
		}
	}
	if at < 0 {
		return report.Order{Order: NoOrder, Because: "in no column are neighbouring values more alike than chance explains"}, nil
	}
	return report.Order{Order: InTime, Because: fmt.Sprintf("neighbouring values of %s correlate by %.2f", p.Columns[at], best)}, nil
}

// looked samples stretches of neighbouring rows from all over the data, and returns their
// length.
func looked(p dataset.Participant) (x *mat.Dense, along int, err error) {
	n, _ := p.Train.Dims()
	if n <= lookedAt {
		x, err = rows.Dense(p.Train)
		return x, n, err
	}
	var index []int
	const stretches = lookedAt / lookedAlong
	for s := range stretches {
		for i := range lookedAlong {
			index = append(index, s*n/stretches+i)
		}
	}
	x, err = rows.Dense(rows.Subset(p.Train, index))
	return x, lookedAlong, err
}

// ranks returns the centred ranks of values. Equal values share their mean rank, and NaN gets
// the mean of all.
func ranks(values []float64) []float64 {
	n := len(values)
	order, out := make([]int, n), make([]float64, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	missing := 0
	for missing < n && math.IsNaN(values[order[missing]]) { // these come first
		missing++
	}
	for i := missing; i < n; {
		j := i
		for j < n && cmp.Compare(values[order[j]], values[order[i]]) == 0 {
			j++
		}
		for _, at := range order[i:j] {
			out[at] = float64(i+j-n-missing) / 2
		}
		i = j
	}
	return out
}

// kurtosis returns the kurtosis of values with mean 0. It is NaN if all values are equal.
func kurtosis(values []float64) float64 {
	var squares, fourth float64
	for _, v := range values {
		squares += v * v
		fourth += v * v * v * v
	}
	return float64(len(values)) * fourth / (squares * squares)
}

// likeness returns the correlation of neighbours in stretches of the given length: 1−c with the
// ratio c of Geary (1954), which on a line is that of von Neumann (1941). Over all permutations
// of the values, its mean is 0, and variance is its variance (Cliff and Ord 1981). The values
// must have mean 0; if all are equal, both results are 0.
func likeness(values []float64, along int) (r, variance float64) {
	n := float64(len(values))
	var squares, differences, pairs, squaredDegrees float64
	for i, v := range values {
		squares += v * v
		degree := 0.0
		if i%along > 0 {
			d := v - values[i-1]
			differences += d * d
			degree++
		}
		if i%along < along-1 && i < len(values)-1 {
			pairs++
			degree++
		}
		squaredDegrees += degree * degree
	}
	if squares == 0 || n < 4 {
		return 0, 1
	}
	r = 1 - (n-1)*differences/(2*pairs*squares)
	peaked, w := kurtosis(values), 2*pairs // w is the sum of all weights.
	variance = (n-1)*4*pairs*(n*n-3*n+3-(n-1)*peaked) - (n-1)*squaredDegrees*(n*n+3*n-6-(n*n-n+2)*peaked) + w*w*(n*n-3-(n-1)*(n-1)*peaked)
	return r, variance / (n * (n - 2) * (n - 3) * w * w)
}
