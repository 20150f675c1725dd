package pipeline

import (
	"cmp"
	"fmt"
)

// Forecast returns a warning if the noise of the run is likely to cost more than sharing gains,
// for a participant with the given number of rows, held-out ones included. It assumes that
// every member has as many. It returns "" if there is nothing to warn about.
func (t *Task) Forecast(rows, members, columns int) string {
	held, _ := t.held(rows)
	noise, trained := t.Traits().Noise, rows-held
	if noise == nil || noise.Outweighed == nil || !noise.Outweighed(trained, trained*members, cmp.Or(t.PCA, columns)) {
		return ""
	}
	return fmt.Sprintf("privacy: with epsilon %g and %d members of %d rows in %d columns, noise is likely to cost more than sharing gains. A model of your own rows alone is then better. More rows, fewer columns or a larger epsilon would help", noise.Epsilon, members, rows, columns)
}
