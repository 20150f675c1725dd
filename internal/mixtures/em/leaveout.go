package ggm

import (
	"github.com/collabdict/collabdict/gmm"
)

// EachLeftOut calls f with the surprise of each of some own rows under m, the mixture of
// [Learner.Written], as if m had been fitted without that row; see [gmm.Mixture.EachLeftOut].
// It needs the relative prior and a completed round.
func (l *Learner) EachLeftOut(m *gmm.Mixture, rows gmm.Rows, f func(from int, scores []float64)) error {
	c := l.live[best(l.live)]
	// The weights rest on the own rows, and on those that the prior counts for each component.
	weighed := float64(l.rows.N) + float64(c.prior.weightRows()*float64(c.components))
	return m.EachLeftOut(rows, gmm.FittedTo{Counts: m.ComponentRows(), Own: weighed, Mean: c.prior.lambda0, Covariance: priorRows}, f)
}
