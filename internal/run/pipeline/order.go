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
	// sampleRows is the number of rows tested for time order, in stretches of stretchRows
	// neighbours if there are more rows.
	sampleRows  = 2000
	stretchRows = 40
	// orderLevel is the significance level of the test: if the rows of a participant are shuffled,
	// the probability that they pass for time-ordered is at most this.
	orderLevel = 0.001
	// leastCorrelation is the correlation of neighbours below which their order does not matter.
	leastCorrelation = 0.2
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
	all, err := neighbours(p)
	if err != nil {
		return report.Order{}, err
	}
	best := neighbouring{column: -1}
	for _, of := range all {
		if of.r > best.r && of.r >= leastCorrelation && of.chance <= orderLevel {
			best = of
		}
	}
	if best.column < 0 {
		return report.Order{Order: NoOrder, Because: "in no column are neighbouring values more alike than chance explains"}, nil
	}
	return report.Order{Order: InTime, Because: fmt.Sprintf("neighbouring values of %s correlate by %.2f", p.Columns[best.column], best.r)}, nil
}

// neighbouring describes how neighbouring values of a column are alike.
type neighbouring struct {
	column int
	r      float64 // their correlation
	// chance bounds the probability that shuffled rows have such a correlation in any column.
	chance float64
}

// neighbours compares the neighbouring values of each column that can show an order.
func neighbours(p dataset.Participant) (all []neighbouring, err error) {
	x, stretch, err := sample(p)
	if err != nil {
		return nil, err
	}
	n, columns := x.Dims()
	// With a higher kurtosis, nearly all values are equal, and chance alone may put the others side
	// by side. For k of n values that differ from the rest, the limit is at a k from √n to 2√n, with
	// 1 to 3 pairs of such neighbours by chance. With more, r is nearly normal.
	mostKurtosis := 1 + math.Sqrt(float64(n))/2
	values := make([]float64, n)
	for j := range columns {
		for i := range values {
			values[i] = x.At(i, j)
		}
		centred := ranks(values)
		if !(kurtosis(centred) <= mostKurtosis) { // NaN if all values are equal
			continue
		}
		r, variance := neighbourCorrelation(centred, stretch)
		// The probability of such an r in shuffled rows, times the number of columns, bounds the
		// probability of at least one such column.
		all = append(all, neighbouring{j, r, float64(columns) * math.Erfc(r/math.Sqrt(2*variance)) / 2})
	}
	return all, nil
}

// sample returns stretches of neighbouring rows from all over the data, and the number of rows of
// a stretch. If there are at most sampleRows, it returns all rows, as one stretch.
func sample(p dataset.Participant) (x *mat.Dense, stretch int, err error) {
	n, _ := p.Train.Dims()
	if n <= sampleRows {
		x, err = rows.Dense(p.Train)
		return x, n, err
	}
	var index []int
	const stretches = sampleRows / stretchRows
	for s := range stretches {
		for i := range stretchRows {
			index = append(index, s*n/stretches+i)
		}
	}
	x, err = rows.Dense(rows.Subset(p.Train, index))
	return x, stretchRows, err
}

// ranks returns the centred ranks of values. Equal values share their mean rank, and NaN gets
// the mean of all.
func ranks(values []float64) []float64 {
	n := len(values)
	order, centred := make([]int, n), make([]float64, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	missing := 0
	for missing < n && math.IsNaN(values[order[missing]]) { // these come first
		missing++
	}
	mean := float64(missing+n-1) / 2 // of the ranks from missing to n-1
	for i := missing; i < n; {
		j := i
		for j < n && cmp.Compare(values[order[j]], values[order[i]]) == 0 {
			j++
		}
		rank := float64(i+j-1) / 2 // mean of the ranks from i to j-1, which have equal values
		for _, index := range order[i:j] {
			centred[index] = rank - mean
		}
		i = j
	}
	return centred
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

// neighbourCorrelation returns the correlation of neighbours in stretches of the given length: 1−c
// with the ratio c of Geary (1954), which on a line is that of von Neumann (1941). Over all
// permutations of the values, its mean is 0, and variance is its variance (Cliff and Ord 1981).
//
// There must be at least 4 values, with mean 0. If all are equal, the results are 0 and 1.
func neighbourCorrelation(values []float64, stretch int) (r, variance float64) {
	n := float64(len(values))
	var squares, differences, pairs, squaredDegrees float64
	for i, v := range values {
		squares += v * v
		degree := 0.0 // neighbours of this value
		if i%stretch > 0 {
			d := v - values[i-1]
			differences += d * d
			degree++
		}
		if i%stretch < stretch-1 && i < len(values)-1 {
			pairs++
			degree++
		}
		squaredDegrees += degree * degree
	}
	if squares == 0 {
		return 0, 1
	}
	r = 1 - (n-1)*differences/(2*pairs*squares)
	// The sums of Cliff and Ord over the weights w_ij, which are 1 for neighbours and 0 otherwise.
	s0 := 2 * pairs             // Σ_ij w_ij
	s1 := 4 * pairs             // ½ Σ_ij (w_ij + w_ji)²
	quarterS2 := squaredDegrees // ¼ Σ_i (Σ_j w_ij + Σ_j w_ji)²
	b2 := kurtosis(values)
	variance = (n-1)*s1*(n*n-3*n+3-(n-1)*b2) - (n-1)*quarterS2*(n*n+3*n-6-(n*n-n+2)*b2) + s0*s0*(n*n-3-(n-1)*(n-1)*b2)
	return r, variance / (n * (n - 2) * (n - 3) * s0 * s0)
}
