package model

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/algorithm"
)

// priorVariances is the name of the array for [Model.PriorVariances].
const priorVariances = "prior_variances"

func priorArrays(variances []float64) []algorithm.Array {
	if variances == nil {
		return nil
	}
	return []algorithm.Array{{Name: priorVariances, Shape: []int{len(variances)}, Values: variances}}
}

// readPrior returns the variances, one per coordinate, or nil if a file has none.
func readPrior(a arrays, dim int) ([]float64, error) {
	if !slices.Contains(a.Names(), priorVariances+".npy") {
		return nil, nil
	}
	variances, _, err := a.Values(priorVariances, dim)
	if err != nil {
		return nil, err
	}
	for _, v := range variances {
		if !(v > 0) || !finite(v) {
			return nil, fmt.Errorf("%s: want finite numbers above 0, got %g", priorVariances, v)
		}
	}
	return variances, nil
}
