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

// scales holds the deviations of this participant's columns and, roughly, of the others', 0 if not
// known.
type scales struct{ own, others []float64 }

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
		if ratio == 0 || math.IsInf(ratio, 1) { // a column that does not vary, here or elsewhere
			continue
		}
		if larger, smaller := ratio > mostApart, ratio < 1.0/mostApart; !larger && !smaller {
			continue
		}
		if len(told) == mostTold {
			more++
			continue
		}
		times := fmt.Sprintf("%.4g times", round(ratio))
		if ratio < 1 {
			times = fmt.Sprintf("1/%.4g of", round(1/ratio))
		}
		told = append(told, fmt.Sprintf("%s: your scale is %s that of the others together (your deviation %.4g, theirs about %.2g)", name, times, s.own[i], s.others[i]))
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
