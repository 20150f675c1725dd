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
	var numbers []string
	for _, k := range components {
		numbers = append(numbers, fmt.Sprint(k+1))
	}
	const hint = "; fewer --components would mix them with other members' rows"
	switch len(numbers) {
	case 0:
		return nil
	case 1:
		return []string{"privacy: component " + numbers[0] + " has only your rows: its mean and covariance in the shared model describe your rows to everybody" + hint}
	}
	last := len(numbers) - 1
	return []string{"privacy: components " + strings.Join(numbers[:last], ", ") + " and " + numbers[last] + " have only your rows: their means and covariances in the shared model describe your rows to everybody" + hint}
}
