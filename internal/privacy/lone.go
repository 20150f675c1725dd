package privacy

import (
	"fmt"
	"strings"
)

const (
	// loneShare is the share of a component's rows above which it counts as one participant's
	// alone.
	loneShare = 0.99
	// leastLone is the number of rows from which on a component is checked. Shown components have
	// at least this number.
	leastLone = 1
)

// Lone returns the components, from 0, that are one participant's alone: nearly all of the rows
// that all participants have in them are its own.
func Lone(own, all []float64) (components []int) {
	for k, n := range all {
		if k < len(own) && n >= leastLone && own[k] >= loneShare*n {
			components = append(components, k)
		}
	}
	return components
}

// LoneWarnings returns a warning that names the components, given from 0, of the shared model
// that have only this participant's rows. It is for this participant only.
func LoneWarnings(components []int) []string {
	if components == nil {
		return nil
	}
	numbers := make([]string, len(components))
	for i, k := range components {
		numbers[i] = fmt.Sprint(k + 1)
	}
	return []string{"privacy: these components of the shared model have only your rows: " + strings.Join(numbers, ", ") + "; the model file of each member shows their means and covariances; with fewer --components, they would have rows of others, too"}
}
