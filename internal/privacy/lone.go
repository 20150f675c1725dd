package privacy

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	// loneShare is the share of a component's rows above which it counts as one participant's
	// alone.
	loneShare = 0.99
	// leastLone is the number of rows from which on a component is checked. Shown components have
	// at least this number.
	leastLone = 1
	// unlikely is the number of standard deviations that noise hardly ever exceeds.
	unlikely = 6
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

// Unmoved follows the numbers of rows of components from total to total. After the loss of a member,
// its last part stays in a running total. So the number of rows of a component that it alone fills
// no longer changes.
type Unmoved struct {
	rows  []float64
	since []int
}

// Next returns the state after a total with these numbers of rows. round is the number of its round,
// 0 for the start; noise is the standard deviation of the noise on the difference of two totals.
func (u Unmoved) Next(rows []float64, noise float64, round int) Unmoved {
	next := Unmoved{slices.Clone(rows), make([]int, len(rows))}
	for k, n := range rows {
		next.since[k] = round
		if k < len(u.rows) && math.Abs(n-u.rows[k]) <= (1-loneShare)*n+unlikely*noise {
			next.rows[k], next.since[k] = u.rows[k], u.since[k]
		}
	}
	return next
}

// Joined returns the state of groups of components, each as one component: its number of rows is
// unmoved since that of the last of the group is.
func (u Unmoved) Joined(groups [][]int) (joined Unmoved) {
	for _, group := range groups {
		rows, since := 0.0, 0
		for _, k := range group {
			rows += u.rows[k]
			since = max(since, u.since[k])
		}
		joined.rows, joined.since = append(joined.rows, rows), append(joined.since, since)
	}
	return joined
}

// Since returns, for each component, the first round from whose total on its number of rows has not
// changed, and −1 if own rows count in it or hardly any row does. own holds the participant's own
// numbers of rows.
func (u Unmoved) Since(own []float64) []int {
	since := slices.Clone(u.since)
	for k, n := range u.rows {
		if k < len(own) && own[k] > (1-loneShare)*n || n < leastLone {
			since[k] = -1
		}
	}
	return since
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
