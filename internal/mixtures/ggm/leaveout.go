package ggm

import (
	"github.com/collabdict/collabdict/gmm"
)

// EachLeftOut calls f with the surprise of each of some own rows under m, the mixture of
// [Learner.Written], as if m had been fitted without that row; see [gmm.Mixture.EachLeftOut].
// It needs the relative prior and a completed round.
func (l *Learner) EachLeftOut(m *gmm.Mixture, rows gmm.Rows, f func(from int, scores []float64)) error {
	c := l.live[best(l.live)]
	own := float64(l.rows.N) + float64(c.prior.floor()*float64(c.components))
	return m.EachLeftOut(rows, gmm.FittedTo{Counts: m.ComponentRows(), Own: own, Mean: c.prior.lambda0, Covariance: priorRows}, f)
}
