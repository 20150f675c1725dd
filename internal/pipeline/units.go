package pipeline

import (
	"fmt"
	"math"
	"strings"
)

// zero has columns without a deviation have one of 0.
func zero(deviations []float64, constant []int) {
	for _, i := range constant {
		deviations[i] = 0
	}
}

// scales are the deviations of own columns and of those of all others together; 0 for none.
type scales struct {
	of          string // whose others are
	own, others []float64
	atMost      []bool // of others: the deviation is lost in what the own one leaves of precision
}

func newScales(dim int) *scales {
	return &scales{"the others", make([]float64, dim), make([]float64, dim), make([]bool, dim)}
}

// enter notes the own deviation of a column and the squares of the rows of others about their
// mean. What is less than the noise is not known.
func (s *scales) enter(column int, own, squares, count, noise float64) {
	if count < 1 {
		return
	}
	s.atMost[column] = squares < noise
	s.own[column], s.others[column] = own, math.Sqrt(math.Max(squares, noise)/count)
}

const (
	// mostApart is how many times as large as others' a scale is without a warning.
	mostApart = 10
	// mostTold columns are named.
	mostTold = 5
)

// round keeps two digits.
func round(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Round(v/unit) * unit
}

// warning names columns that may be in other units than those of others.
func (s *scales) warning(columns []string) string {
	if s == nil {
		return ""
	}
	var told []string
	more := 0
	for i, name := range columns {
		ratio := s.own[i] / s.others[i]
		if !(ratio > mostApart) && (!(ratio < 1.0/mostApart) || ratio == 0 || s.atMost[i]) || math.IsInf(ratio, 1) {
			continue
		}
		if len(told) == mostTold {
			more++
			continue
		}
		times, at := fmt.Sprintf("%.4g times", round(ratio)), ""
		if ratio < 1 {
			times = fmt.Sprintf("1/%.4g of", round(1/ratio))
		}
		if s.atMost[i] {
			times, at = "over "+times, "at most "
		}
		told = append(told, fmt.Sprintf("%s: your scale is %s that of %s together (own deviation %.4g, theirs %s%.4g)", name, times, s.of, s.own[i], at, s.others[i]))
	}
	if told == nil {
		return ""
	}
	list := strings.Join(told, "; ")
	if more > 0 {
		list += fmt.Sprintf("; and %d more columns", more)
	}
	return list + ": is it in the same unit?"
}
