package task

import (
	"math"
	"strconv"
	"strings"
)

// ChiSquare is the rule for the last merge of fedgem that needs no factor.
const ChiSquare = "chi-square"

// parseFinal reads a rule for the last merge: chi-square, or factor= and the factors to
// choose from, with commas between.
func parseFinal(s string) (factors []float64, err error) {
	if s == ChiSquare {
		return nil, nil
	}
	values, ok := strings.CutPrefix(s, "factor=")
	if !ok {
		return nil, wrong("final", "want %s, factor=V, or factor=V1,V2,... to choose from by cross-validation, got %q", ChiSquare, s)
	}
	for _, text := range strings.Split(values, ",") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return nil, wrong("final", "want factors that are finite and above 0, got %q", text)
		}
		factors = append(factors, v)
	}
	return factors, nil
}
