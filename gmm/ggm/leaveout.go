package ggm

import (
	"github.com/collabdict/collabdict/gmm"
)

// EachLeftOut calls f with the surprise of each of some own rows at the mixture that is kept,
// of [Learner.Written], as it would be without that row: see [gmm.Mixture.EachLeftOut]. The
// prior is the relative one, and a round has been completed.
func (l *Learner) EachLeftOut(m *gmm.Mixture, rows gmm.Rows, f func(from int, scores []float64)) error {
	c := l.live[best(l.live)]
	own := float64(l.rows.N) + float64(c.prior.floor()*float64(c.components))
	return m.EachLeftOut(rows, gmm.FittedTo{Counts: m.ComponentRows(), Own: own, Mean: c.prior.lambda0, Covariance: priorRows}, f)
}
