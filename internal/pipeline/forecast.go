package pipeline

import (
	"cmp"
	"fmt"
)

// Forecast says before a run whether noise is likely to cost more than sharing gains, for a participant with
// so many rows in so many columns, as each of the members has; "" if it is not. Rows that are held
// out are among them.
func (t *Task) Forecast(rows, members, columns int) string {
	held, _ := t.held(rows)
	of, trained := t.Traits(), rows-held
	if of.Outweighed == nil || !of.Outweighed(trained, trained*members, cmp.Or(t.PCA, columns)) {
		return ""
	}
	return fmt.Sprintf("privacy: with epsilon %g and %d members of %d rows in %d columns, noise is likely to cost more than sharing gains: a model of the own rows alone is likely better than the one that is learned together; more rows, fewer columns or a larger epsilon would change that", of.Noise.Epsilon, members, rows, columns)
}
