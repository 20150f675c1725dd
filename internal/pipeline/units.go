package pipeline

import (
	"fmt"
	"math"
	"strings"
)

// zero sets the deviations of constant columns to 0.
func zero(deviations []float64, constant []int) {
	for _, i := range constant {
		deviations[i] = 0
	}
}

// scales holds the deviations of this participant's columns and of the others' together, 0 if
// not known.
type scales struct {
	of          string // whom a warning compares with
	own, others []float64
	atMost      []bool // whether others is only an upper bound: below the noise of the sum
}

func newScales(dim int) *scales {
	return &scales{"the others", make([]float64, dim), make([]float64, dim), make([]bool, dim)}
}

// enter records a column's own deviation, and the others' from the squares of their rows about
// their mean. Squares below the noise give an upper bound only.
func (s *scales) enter(column int, own, squares, count, noise float64) {
	if count < 1 {
		return
	}
	s.atMost[column] = squares < noise
	s.own[column], s.others[column] = own, math.Sqrt(math.Max(squares, noise)/count)
}

const (
	// mostApart is the ratio of scales above which a warning is given.
	mostApart = 10
	// mostTold bounds the number of columns named in a warning.
	mostTold = 5
)

// round rounds to two significant digits.
func round(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Round(v/unit) * unit
}

// warning returns a warning about columns whose units may differ from the others'.
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
		told = append(told, fmt.Sprintf("%s: your scale is %s that of %s together (your deviation %.4g, theirs %s%.4g)", name, times, s.of, s.own[i], at, s.others[i]))
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
