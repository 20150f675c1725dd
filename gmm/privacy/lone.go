package privacy

import (
	"fmt"
	"strings"
)

const (
	// loneShare is the share of a component's rows from which on it is its participant's alone.
	loneShare = 0.99
	// leastLone is how many rows a component has that is looked at: any that are shown.
	leastLone = 1
)

// Lone returns the components, from 0, that are a participant's alone: of the rows that all
// participants have of them together, nearly all are the own ones.
func Lone(own, all []float64) (components []int) {
	for k, n := range all {
		if k < len(own) && n >= leastLone && own[k] >= loneShare*n {
			components = append(components, k)
		}
	}
	return components
}

// LoneWarnings tell a participant which components, from 0, of the shared model are of its rows
// alone, if any are. They are for the participant itself.
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
